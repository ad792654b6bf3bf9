import { event } from "../primitives/event.ts";

/** Made by the gateway for each queue when due; never in the log. */
export const heartbeat = event({
  type: "heartbeat",
  about: "No event for about 50 seconds. Sent regardless of the queue's `event_types`.",
  to: "some",
  receivers: "the queue that is polled",
  fields: {},
});
