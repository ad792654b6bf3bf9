import { z } from "zod";
import { bounds } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /channel_folders/create` (channels.md §6). */
export const createChannelFolder = operation({
  id: "create-channel-folder",
  method: "POST",
  path: "/api/v1/channel_folders/create",
  access: "administrator",
  summary: "Create a channel folder",
  example: { params: { name: "Teams $RANDOM", description: "A channel for each team" } },
  description: `It is the last in the order. An organization has at most ${bounds.channelFolders}, archived ones included.`,
  params: {
    name: form
      .text()
      .describe(
        "At most `max_channel_folder_name_length` characters; no other folder, archived ones included, has the same, whatever its case.",
      ),
    description: form
      .text()
      .describe(
        "Markdown, may be empty; at most `max_channel_folder_description_length` characters.",
      ),
  },
  result: { channel_folder_id: z.int() },
});
