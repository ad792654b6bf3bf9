import { recurring } from "../recurring.ts";

export const relay = recurring({
  name: "relay",
  about:
    "Adds missing jobs to the queue: of scheduled messages and intents whose process crashed after the commit " +
    "or did not reach the queue, and of messages that are now due within a day.",
  processes: ["worker"],
  every: "1s",
  // Concurrent relays add the same job ids.
  leader: "none",
  bound: { batch: 500, batches: 50, of: "delivery jobs, then as many intents" },
  deadline: "2m",
});
