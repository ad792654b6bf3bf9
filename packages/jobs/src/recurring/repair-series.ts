import { recurring } from "../recurring.ts";

export const repairSeriesPlans = recurring({
  name: "repair-series",
  about:
    "Checks the next active series, in the order of their ids, and plans the next occurrence of those that have none.",
  processes: ["worker"],
  every: "1m",
  leader: "none",
  bound: { batch: 10_000, batches: 1, of: "series" },
  deadline: "1m",
});
