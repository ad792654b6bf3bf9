import { recurring } from "../recurring.ts";

export const relay = recurring({
  name: "relay",
  about:
    "Puts into the queue what a commit left behind: delivery jobs and intents whose process died after the commit, " +
    "or did not reach the queue, and messages that have only now come within a day.",
  processes: ["worker"],
  every: "1s",
  // Concurrent relays add the same job ids.
  leader: "none",
  bound: { batch: 500, batches: 50, of: "delivery jobs, then as many intents" },
  deadline: "2m",
});
