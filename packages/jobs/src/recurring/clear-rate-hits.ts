import { recurring } from "../recurring.ts";

export const clearRateHits = recurring({
  name: "clear-rate-hits",
  about:
    "Deletes counts of requests that are older than every rate limit. Does nothing with Redis, where they expire.",
  processes: ["gateway"],
  every: "1m",
  // Each skips the rows that another has locked.
  leader: "none",
  bound: { batch: 10_000, batches: Number.POSITIVE_INFINITY, of: "rows" },
  deadline: "1m",
});
