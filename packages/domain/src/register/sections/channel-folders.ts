import { listChannelFolders } from "@carillon/model";
import type { Section } from "../context/section.ts";

/** The folders of channels, archived ones included. */
export const channelFolders: Section = {
  names: ["channel_folders"],
  load: async ({ tx, realm }) => ({
    channel_folders: await listChannelFolders(tx, realm.id, { archived: true }),
  }),
};
