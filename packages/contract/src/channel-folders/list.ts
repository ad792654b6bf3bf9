import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { channelFolderObject } from "./channel-folder-object.ts";

/** `GET /channel_folders` (channels.md §6). */
export const listChannelFolders = operation({
  id: "list-channel-folders",
  method: "GET",
  path: "/api/v1/channel_folders",
  access: "account",
  summary: "List channel folders",
  description: "All of the organization, in their order.",
  params: { include_archived: form.bool().default(false) },
  result: { channel_folders: z.array(channelFolderObject) },
});
