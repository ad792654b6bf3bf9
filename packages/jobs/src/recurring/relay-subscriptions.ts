import { recurring } from "../recurring.ts";

export const relaySubscriptions = recurring({
  name: "relay-subscriptions",
  about:
    "Adds missing jobs of event subscriptions that have events to send, and notifies owners of bots whose subscriptions have been failing for an hour.",
  processes: ["worker"],
  every: "10s",
  // Concurrent relays add the same job ids.
  leader: "none",
  bound: { batch: 500, batches: 1, of: "subscriptions" },
  deadline: "20s",
});
