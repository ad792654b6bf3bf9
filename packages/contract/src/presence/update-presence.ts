import { z } from "zod";
import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { presences } from "./presence-object.ts";

/** `POST /users/me/presence` (clients.md §4). */
export const updatePresence = operation({
  id: "update-presence",
  method: "POST",
  path: "/api/v1/users/me/presence",
  access: "human",
  summary: "Update your presence",
  description:
    "Clients call this once a minute. With `presence_enabled` off nothing is stored, and nobody sees the caller.",
  params: {
    status: form.oneOf("active", "idle"),
    ping_only: form.bool().default(false).describe("Answers without any field of its own."),
    new_user_input: form
      .bool()
      .default(false)
      .describe("Accepted from older clients; `status` says what is stored."),
    slim_presence: form
      .bool()
      .default(false)
      .describe("Answers in the modern form, by user ID, rather than by e-mail address."),
    last_update_id: form
      .int({ min: -1, max: maxLongId })
      .optional()
      .describe(
        "Only what has changed since the answer that had this `presence_last_update_id`, in the modern form; " +
          "−1 for everything.",
      ),
    history_limit_days: form
      .int({ min: 0 })
      .default(14)
      .describe("Leaves out who was last connected longer ago."),
  },
  result: {
    /** Missing, like the others, with `ping_only`. */
    presences: presences.optional(),
    /** −1 when there has been nothing yet. */
    presence_last_update_id: z.int().optional(),
    /** UNIX seconds with a fraction. */
    server_timestamp: z.number().optional(),
  },
});
