import { z } from "zod";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /users/{user_id_or_email}/presence` (clients.md §4). */
export const getPresence = operation({
  id: "get-presence",
  method: "GET",
  path: "/api/v1/users/{user_id_or_email}/presence",
  access: "account",
  summary: "Get a user's presence",
  example: { path: { user_id_or_email: 6 }, made: { PRESENT: ["update-presence", "result"] } },
  pathParams: { user_id_or_email: path.text() },
  result: {
    presence: z.strictObject({
      aggregated: z.strictObject({
        /** `offline` when nothing was heard for 140 seconds. */
        status: z.enum(["active", "idle", "offline"]),
        /** UNIX seconds */
        timestamp: z.int(),
      }),
      /** What the last client said. */
      website: z.strictObject({ status: z.enum(["active", "idle"]), timestamp: z.int() }),
    }),
  },
});
