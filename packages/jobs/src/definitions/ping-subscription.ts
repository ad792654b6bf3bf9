import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

/** The job is repeated only if the database fails, too many calls are in progress, or the endpoint's circuit is open. */
export const pingSubscription = intentJob({
  name: "ping-subscription",
  title: "Ping of an event subscription",
  queue: "outgoing",
  about: "Sends a ping to the URL of an event subscription, once, and logs the answer.",
  intent: z.strictObject({ subscriptionId: z.int().positive() }),
  retry: backoff({ attempts: 20, first: "1s", cap: "1m", jitter: 0.5 }),
  deadline: "25s",
});
