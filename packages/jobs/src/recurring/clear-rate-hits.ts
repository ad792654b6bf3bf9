import { recurring } from "../recurring.ts";

export const clearRateHits = recurring({
  name: "clear-rate-hits",
  about:
    "Deletes what no rate limit counts any more. With Redis there is nothing: there it goes by itself.",
  processes: ["gateway"],
  every: "1m",
  // Each skips the rows that another has locked.
  leader: "none",
  bound: { batch: 10_000, batches: Number.POSITIVE_INFINITY, of: "rows" },
  deadline: "1m",
});
