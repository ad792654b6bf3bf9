import { z } from "zod";
import { channelFolderObject } from "../operations/channel-folders.ts";
import { event } from "./event.ts";

const { name, description, rendered_description, is_archived } = channelFolderObject.shape;

export const channelFolderAdded = event({
  type: "channel_folder",
  op: "add",
  about: "A channel folder was created.",
  to: "everybody",
  fields: { channel_folder: channelFolderObject },
  snapshot: { list: "channel_folders", by: "id", adds: "channel_folder" },
});

export const channelFolderUpdated = event({
  type: "channel_folder",
  op: "update",
  about: "A channel folder changed: `data` has only the changed fields.",
  to: "everybody",
  fields: {
    channel_folder_id: z.int(),
    data: z.strictObject({ name, description, rendered_description, is_archived }).partial(),
  },
  snapshot: { list: "channel_folders", by: "id", merges: "data", into: "channel_folder_id" },
});

export const channelFoldersReordered = event({
  type: "channel_folder",
  op: "reorder",
  about:
    "The channel folders, including archived ones, were reordered: the `order` of each is its index in the list, from 0.",
  to: "everybody",
  fields: { order: z.array(z.int()) },
});
