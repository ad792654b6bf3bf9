import { z } from "zod";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /users/{user_id}/subscriptions/{stream_id}` (channels.md §7). */
export const getSubscriptionStatus = operation({
  id: "get-subscription-status",
  method: "GET",
  path: "/api/v1/users/{user_id}/subscriptions/{stream_id}",
  access: "account",
  summary: "Tell whether a user is subscribed to a channel",
  description: "Deactivated users are subscribed to nothing.",
  pathParams: { user_id: path.int(), stream_id: path.int() },
  result: { is_subscribed: z.boolean() },
});
