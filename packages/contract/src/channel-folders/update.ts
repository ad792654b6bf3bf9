import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `PATCH /channel_folders/{channel_folder_id}` (channels.md §6). */
export const updateChannelFolder = operation({
  id: "update-channel-folder",
  method: "PATCH",
  path: "/api/v1/channel_folders/{channel_folder_id}",
  access: "administrator",
  summary: "Update a channel folder",
  example: {
    made: { FOLDER_ID: ["create-channel-folder", "channel_folder_id"] },
    path: { channel_folder_id: "$FOLDER_ID" },
    params: { description: "One for each team" },
  },
  description: "Everything is changed or nothing; archived folders can be changed too.",
  pathParams: { channel_folder_id: path.int() },
  params: {
    name: form.text().optional().describe("As at its creation."),
    description: form.text().optional().describe("As at its creation."),
    is_archived: form
      .bool()
      .optional()
      .describe("A folder with channels in it, archived ones included, cannot be archived."),
  },
});
