import { createChannelFolder as operation } from "@carillon/contract";
import { createChannelFolder } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => ({
  channel_folder_id: await createChannelFolder(tx, actor, input),
}));
