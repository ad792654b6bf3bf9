import { z } from "zod";

/** The two times of an account. */
export const modernPresence = z.strictObject({
  /** UNIX seconds: last active; when the account was made where it never was. */
  active_timestamp: z.int(),
  /** UNIX seconds: last connected, active or not. */
  idle_timestamp: z.int(),
});

const status = z.enum(["active", "idle"]);

/** One state and its time, as if one client were all that there is. */
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
