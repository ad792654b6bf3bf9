import { listChannelFolders as operation } from "@carillon/contract";
import { listChannelFolders } from "@carillon/model";
import { handle } from "../../handle.ts";

export default handle.reads(operation, async ({ sql, input, actor }) => ({
  channel_folders: await listChannelFolders(sql, actor.realmId, {
    archived: input.include_archived,
  }),
}));
