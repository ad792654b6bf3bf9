import { recurring } from "../recurring.ts";

export const clearFailures = recurring({
  name: "clear-failures",
  about: "Deletes what `delivery_failures` has of messages that could not be sent, after 30 days.",
  processes: ["worker"],
  every: "1h",
  leader: "one",
  bound: { batch: 5_000, batches: 1_000, of: "rows" },
  deadline: "10m",
});
