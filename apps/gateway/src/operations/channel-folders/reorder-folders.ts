import { reorderChannelFolders as operation } from "@carillon/contract";
import { reorderChannelFolders } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, async ({ tx, input, actor }) => {
  await reorderChannelFolders(tx, actor, input.order);
});
