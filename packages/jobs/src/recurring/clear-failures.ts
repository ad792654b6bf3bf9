import { recurring } from "../recurring.ts";

export const clearFailures = recurring({
  name: "clear-failures",
  about: "Deletes rows of `delivery_failures` after 30 days.",
  processes: ["worker"],
  every: "1h",
  leader: "one",
  bound: { batch: 5_000, batches: 1_000, of: "rows" },
  deadline: "10m",
});
