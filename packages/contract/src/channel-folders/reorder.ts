import { z } from "zod";
import { mostChannelFolders } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";

/** `PATCH /channel_folders` (channels.md §6). */
export const reorderChannelFolders = operation({
  id: "reorder-channel-folders",
  method: "PATCH",
  path: "/api/v1/channel_folders",
  access: "administrator",
  summary: "Reorder channel folders",
  example: {
    made: { FOLDER_ID: ["create-channel-folder", "channel_folder_id"] },
    params: { order: "[$FOLDER_ID]" },
  },
  params: {
    order: form
      .json(z.array(shape.id), { most: mostChannelFolders })
      .describe("IDs of all folders of the organization, archived ones included, each once."),
  },
});
