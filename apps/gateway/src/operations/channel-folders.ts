import * as contract from "@carillon/contract";
import { createChannelFolder, reorderChannelFolders, updateChannelFolder } from "@carillon/domain";
import { listChannelFolders } from "@carillon/model";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listChannelFolders, async ({ sql, input, actor }) => ({
    channel_folders: await listChannelFolders(sql, actor.realmId, {
      archived: input.include_archived,
    }),
  })),

  handle.changes(contract.createChannelFolder, async ({ tx, input, actor }) => ({
    channel_folder_id: await createChannelFolder(tx, actor, input),
  })),

  handle.changes(contract.updateChannelFolder, async ({ tx, path, input, actor }) => {
    const { name, description, is_archived: isArchived } = input;
    await updateChannelFolder(tx, actor, path.channel_folder_id, { name, description, isArchived });
  }),

  handle.changes(contract.reorderChannelFolders, async ({ tx, input, actor }) => {
    await reorderChannelFolders(tx, actor, input.order);
  }),
];
