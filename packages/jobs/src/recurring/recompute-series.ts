import { recurring } from "../recurring.ts";

/** Runs at the start of each worker, which may have a newer time zone database, and daily. */
export const recomputeSeries = recurring({
  name: "recompute-series",
  about:
    "Recomputes the planned occurrences of series that were computed with an older time zone database.",
  processes: ["worker"],
  every: "24h",
  leader: "none",
  bound: { batch: 200, batches: 5_000, of: "rows" },
  deadline: "10m",
});
