import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** A user's status: only the fields that are set. */
export const statusObject = z.strictObject({
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z.string().optional(),
});

/** Parameters of a status. */
const statusParameters = {
  status_text: form
    .text()
    .optional()
    .describe("Trimmed; up to 60 characters (Unicode code points)."),
  emoji_name: form.text().optional(),
  emoji_code: form.text().optional().describe("Only with `emoji_name`; must be its code."),
  reaction_type: form
    .text()
    .optional()
    .describe("Only with `emoji_name`; must be `unicode_emoji`."),
};

/** `GET /users/{user_id}/status` (clients.md §4). */
export const getStatus = operation({
  id: "get-status",
  method: "GET",
  path: "/api/v1/users/{user_id}/status",
  access: "account",
  summary: "Get a user's status",
  pathParams: { user_id: path.int() },
  result: { status: statusObject },
});

/** `POST /users/me/status` (clients.md §4). */
export const updateStatus = operation({
  id: "update-status",
  method: "POST",
  path: "/api/v1/users/me/status",
  access: "human",
  idempotencyKey: true,
  summary: "Update your status",
  example: { params: { status_text: "At lunch", emoji_name: "hamburger" } },
  description:
    "Send the text, the emoji or both; a parameter that is not sent stays unchanged. An empty value removes it.",
  params: statusParameters,
});

/** `POST /users/{user_id}/status` (clients.md §4). */
export const updateStatusOfUser = operation({
  id: "update-status-for-user",
  method: "POST",
  path: "/api/v1/users/{user_id}/status",
  pathParams: { user_id: path.int() },
  access: "administrator",
  idempotencyKey: true,
  summary: "Update a user's status",
  example: { params: { status_text: "On holiday" } },
  description:
    "A parameter that is not sent stays unchanged. Only active people have a status, not bots.",
  params: statusParameters,
});

export const userStatusChanged = event({
  type: "user_status",
  about: "A user's status changed: the event has only the changed fields.",
  to: "some",
  receivers: "all users who see the account",
  fields: { user_id: z.int(), ...statusObject.shape },
});
