import * as z from "zod";
import { form } from "../primitives/form.ts";
import { maxLongId } from "../primitives/ids.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** The modern form: two times of an account. */
export const modernPresence = z.strictObject({
  /** UNIX seconds: last active; the account's creation if it never was. */
  active_timestamp: z.int(),
  /** UNIX seconds: last connected, active or not. */
  idle_timestamp: z.int(),
});

const status = z.enum(["active", "idle"]);

/** The legacy form: one state and its time, as if there were a single client. */
export const websitePresence = z.strictObject({
  client: z.string(),
  status,
  timestamp: z.int(),
  pushable: z.boolean(),
});

const legacy = z.strictObject({
  aggregated: z.strictObject({ client: z.string(), status, timestamp: z.int() }),
  website: websitePresence,
});

/** By user ID in the modern form, by e-mail address in the legacy one (clients.md §3). */
export const presences = z.record(z.string(), z.union([modernPresence, legacy]));

/** `GET /realm/presence` (clients.md §4). */
export const listPresences = operation({
  id: "list-presences",
  method: "GET",
  path: "/api/v1/realm/presence",
  access: "account",
  summary: "Get everybody's presence",
  description: "By e-mail address, for users who were connected within the last 14 days.",
  result: {
    presences,
    /** UNIX seconds with a fraction. */
    server_timestamp: z.number(),
  },
});

/** `GET /users/{user_id_or_email}/presence` (clients.md §4). */
export const getPresence = operation({
  id: "get-presence",
  method: "GET",
  path: "/api/v1/users/{user_id_or_email}/presence",
  access: "account",
  summary: "Get a user's presence",
  example: { path: { user_id_or_email: 7 }, made: { PRESENT: ["update-presence", "result"] } },
  pathParams: { user_id_or_email: path.text() },
  result: {
    presence: z.strictObject({
      aggregated: z.strictObject({
        /** `offline` after 140 seconds without a report. */
        status: z.enum(["active", "idle", "offline"]),
        /** UNIX seconds */
        timestamp: z.int(),
      }),
      /** The state that the last client reported. */
      website: z.strictObject({ status: z.enum(["active", "idle"]), timestamp: z.int() }),
    }),
  },
});

/** `POST /users/me/presence` (clients.md §4). */
export const updatePresence = operation({
  id: "update-presence",
  method: "POST",
  path: "/api/v1/users/me/presence",
  access: "human",
  summary: "Update your presence",
  description:
    "Clients call this once a minute. With `presence_enabled` off nothing is stored, and other users do not see the caller's presence.",
  params: {
    status: form.oneOf("active", "idle"),
    ping_only: form.bool().default(false).describe("Whether to omit all fields from the answer."),
    new_user_input: form
      .bool()
      .default(false)
      .describe("Accepted from older clients and ignored; `status` decides."),
    slim_presence: form
      .bool()
      .default(false)
      .describe(
        "Whether to answer in the modern format, by user ID, instead of by e-mail address.",
      ),
    last_update_id: form
      .int({ min: -1, max: maxLongId })
      .optional()
      .describe(
        "Returns only changes since the answer with this `presence_last_update_id`, in the modern format; −1 returns everything.",
      ),
    history_limit_days: form
      .int({ min: 0 })
      .default(14)
      .describe("Omits users who were last connected longer ago, in days."),
  },
  result: {
    /** Missing, like the others, with `ping_only`. */
    presences: presences.optional(),
    /** −1 when there has been no presence yet. */
    presence_last_update_id: z.int().optional(),
    /** UNIX seconds with a fraction. */
    server_timestamp: z.number().optional(),
  },
});
