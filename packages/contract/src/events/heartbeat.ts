import { event } from "./event.ts";

/** Made by the gateway for each queue when due; never in the log. */
export const heartbeat = event({
  type: "heartbeat",
  about: "Nothing has happened for about 50 seconds. Comes whatever `event_types` a queue has.",
  to: "some",
  receivers: "the queue that is polled",
  fields: {},
});
