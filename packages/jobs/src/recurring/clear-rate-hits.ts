import { recurring } from "../recurring.ts";

export const clearRateHits = recurring({
  name: "clear-rate-hits",
  about:
    "Deletes request counts that no rate limit uses any more. Does nothing with Redis, where they expire.",
  processes: ["gateway"],
  every: "1m",
  // Each gateway skips the rows that another has locked.
  leader: "none",
  bound: { batch: 10_000, batches: Number.POSITIVE_INFINITY, of: "rows" },
  deadline: "1m",
});
