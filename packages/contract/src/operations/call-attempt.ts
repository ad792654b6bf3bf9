import * as z from "zod";

/** Fields of an attempt to call the URL of a bot or of an event subscription, in answers (bot-platform.md §4). */
export const callAttempt = {
  /** From 1. */
  attempt: z.int(),
  /** UNIX seconds */
  attempted_at: z.int(),
  /** Status of the answer; null without one. */
  status: z.int().nullable(),
  /** Why the attempt failed; null for one that did not. */
  error: z.string().nullable(),
  duration_ms: z.int(),
  outcome: z.enum(["done", "retry", "failed"]),
  /** The first 1,024 characters of the answer. */
  response_head: z.string(),
};
