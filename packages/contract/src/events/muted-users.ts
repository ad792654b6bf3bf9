import { z } from "zod";
import { event } from "./event.ts";

export const mutedUsersChanged = event({
  type: "muted_users",
  about: "Whom the account has muted: all of them, with the UNIX seconds since when.",
  to: "some",
  receivers: "the account",
  fields: { muted_users: z.array(z.strictObject({ id: z.int(), timestamp: z.int() })) },
  snapshot: { field: "muted_users", becomes: "muted_users" },
});
