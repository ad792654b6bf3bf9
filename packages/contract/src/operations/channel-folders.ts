import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { shape } from "../primitives/shape.ts";

/** Maximum number of folders of an organization, archived ones included: each registration returns all of them. */
export const maxChannelFolders = 500;

/** A folder of channels as clients see it (channels.md §6). */
export const channelFolderObject = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  /** HTML, empty for an empty description. */
  rendered_description: z.string(),
  /** Its place: folders are sorted by it, then by their IDs. */
  order: z.int(),
  creator_id: z.int().nullable(),
  /** UNIX seconds; null if unknown. */
  date_created: z.int().nullable(),
  is_archived: z.boolean(),
});
export type ChannelFolderObject = z.infer<typeof channelFolderObject>;

/** `GET /channel_folders` (channels.md §6). */
export const listChannelFolders = operation({
  id: "list-channel-folders",
  method: "GET",
  path: "/api/v1/channel_folders",
  access: "account",
  summary: "List channel folders",
  description: "All of the organization, in order.",
  params: { include_archived: form.bool().default(false) },
  result: { channel_folders: z.array(channelFolderObject) },
});

/** `POST /channel_folders/create` (channels.md §6). */
export const createChannelFolder = operation({
  id: "create-channel-folder",
  method: "POST",
  path: "/api/v1/channel_folders/create",
  access: "administrator",
  idempotencyKey: true,
  summary: "Create a channel folder",
  example: { params: { name: "Teams $RANDOM", description: "A channel for each team" } },
  description: `The new folder is the last in the order. An organization has at most ${maxChannelFolders} folders, including archived ones.`,
  params: {
    name: form
      .text()
      .describe(
        "At most `max_channel_folder_name_length` characters; unique among all folders, including archived ones, regardless of case.",
      ),
    description: form
      .text()
      .describe(
        "Markdown, may be empty; at most `max_channel_folder_description_length` characters.",
      ),
  },
  result: { channel_folder_id: z.int() },
});

/** `PATCH /channel_folders/{channel_folder_id}` (channels.md §6). */
export const updateChannelFolder = operation({
  id: "update-channel-folder",
  method: "PATCH",
  path: "/api/v1/channel_folders/{channel_folder_id}",
  access: "administrator",
  idempotencyKey: true,
  summary: "Update a channel folder",
  example: {
    made: { FOLDER_ID: ["create-channel-folder", "channel_folder_id"] },
    path: { channel_folder_id: "$FOLDER_ID" },
    params: { description: "One for each team" },
  },
  description: "The change is atomic. Archived folders can be changed, too.",
  pathParams: { channel_folder_id: path.int() },
  params: {
    name: form.text().optional().describe("As on creation."),
    description: form.text().optional().describe("As on creation."),
    is_archived: form
      .bool()
      .optional()
      .describe("A folder that contains channels, including archived ones, cannot be archived."),
  },
});

/** `PATCH /channel_folders` (channels.md §6). */
export const reorderChannelFolders = operation({
  id: "reorder-channel-folders",
  method: "PATCH",
  path: "/api/v1/channel_folders",
  access: "administrator",
  idempotencyKey: true,
  summary: "Reorder channel folders",
  example: {
    made: { FOLDER_ID: ["create-channel-folder", "channel_folder_id"] },
    params: { order: "[$FOLDER_ID]" },
  },
  params: {
    order: form
      .json(z.array(shape.id), { maxItems: { count: maxChannelFolders, of: "channel folders" } })
      .describe("IDs of all folders of the organization, including archived ones, each once."),
  },
});

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
