import { recurring } from "../recurring.ts";

export const clearCalls = recurring({
  name: "clear-calls",
  about:
    "Deletes finished calls of outgoing webhook bots, and their attempts, after 14 days, and makes calls ready that wait for an earlier one that no longer exists.",
  processes: ["worker"],
  every: "1m",
  leader: "one",
  bound: { batch: 5_000, batches: 100, of: "rows" },
  deadline: "5m",
});
