import { recurring } from "../recurring.ts";

export const relayCalls = recurring({
  name: "relay-calls",
  about:
    "Adds missing jobs of calls of outgoing webhook bots: of calls whose process crashed, and of those that waited for others, or for an endpoint that did not answer.",
  processes: ["worker"],
  every: "1s",
  // Concurrent relays add the same job ids.
  leader: "none",
  bound: { batch: 200, batches: 1, of: "calls" },
  deadline: "20s",
});
