import { recurring } from "../recurring.ts";

export const repairSeriesPlans = recurring({
  name: "repair-series",
  about: "Plans the next occurrence of active series that have none.",
  processes: ["worker"],
  every: "1m",
  leader: "none",
  bound: { batch: 500, batches: 1, of: "series" },
  deadline: "1m",
});
