import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /streams/{stream_id}` (channels.md §8). */
export const archiveChannel = operation({
  id: "archive-channel",
  method: "DELETE",
  path: "/api/v1/streams/{stream_id}",
  access: "account",
  summary: "Archive a channel",
  example: { made: { STREAM_ID: ["create-channel", "id"] }, path: { stream_id: "$STREAM_ID" } },
  description:
    "Its messages stay, its name stays taken, and nothing is sent to it any more. For who may administer the channel.",
  pathParams: { stream_id: path.int() },
  errors: ["CANNOT_ADMINISTER_CHANNEL"],
});
