import { updateChannelFolder as operation } from "@carillon/contract";
import { updateChannelFolder } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, path, input, actor }) => {
  const { name, description, is_archived: isArchived } = input;
  await updateChannelFolder(tx, actor, path.channel_folder_id, { name, description, isArchived });
});
