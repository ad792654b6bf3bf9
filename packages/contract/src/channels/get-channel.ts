import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { channelObject } from "./channel-object.ts";

/** `GET /streams/{stream_id}` (channels.md §7). */
export const getChannel = operation({
  id: "get-channel",
  method: "GET",
  path: "/api/v1/streams/{stream_id}",
  access: "account",
  summary: "Get a channel",
  description: "Archived channels count as unknown.",
  pathParams: { stream_id: path.int() },
  result: { stream: channelObject },
});
