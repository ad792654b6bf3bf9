import { z } from "zod";
import { event } from "./event.ts";

export const mutedUsersChanged = event({
  type: "muted_users",
  about: "All users that the account has muted, each with the time of muting in UNIX seconds.",
  to: "some",
  receivers: "the account",
  fields: { muted_users: z.array(z.strictObject({ id: z.int(), timestamp: z.int() })) },
  snapshot: { field: "muted_users", becomes: "muted_users" },
});
