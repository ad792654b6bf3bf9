import { z } from "zod";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /users/{user_id}/channels` (channels.md §7). */
export const getUserChannels = operation({
  id: "get-user-channels",
  method: "GET",
  path: "/api/v1/users/{user_id}/channels",
  access: "account",
  summary: "List the channels that a user is subscribed to",
  description:
    "Those that the caller may know of, without archived ones. Deactivated users are subscribed to nothing.",
  pathParams: { user_id: path.int() },
  result: { subscribed_channel_ids: z.array(z.int()) },
});
