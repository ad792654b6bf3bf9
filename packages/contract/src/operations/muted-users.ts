import * as z from "zod";
import { event } from "../primitives/event.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** `POST /users/me/muted_users/{muted_user_id}` (clients.md §4). */
export const muteUser = operation({
  id: "mute-user",
  method: "POST",
  path: "/api/v1/users/me/muted_users/{muted_user_id}",
  access: "account",
  idempotencyKey: true,
  summary: "Mute a user",
  description: "Any account except the caller's own, including bots and deactivated accounts.",
  pathParams: { muted_user_id: path.int() },
});

/** `DELETE /users/me/muted_users/{muted_user_id}` (clients.md §4). */
export const unmuteUser = operation({
  id: "unmute-user",
  method: "DELETE",
  path: "/api/v1/users/me/muted_users/{muted_user_id}",
  access: "account",
  idempotencyKey: true,
  summary: "Unmute a user",
  example: { made: { MUTED: ["mute-user", "result"] } },
  pathParams: { muted_user_id: path.int() },
});

export const mutedUsersChanged = event({
  type: "muted_users",
  about: "All users that the account has muted, each with the time of muting in UNIX seconds.",
  to: "some",
  receivers: "the account",
  fields: { muted_users: z.array(z.strictObject({ id: z.int(), timestamp: z.int() })) },
  snapshot: { field: "muted_users", becomes: "muted_users" },
});
