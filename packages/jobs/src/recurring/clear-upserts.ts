import { recurring } from "../recurring.ts";

export const clearUpserts = recurring({
  name: "clear-upserts",
  about: "Deletes rows of `message_upserts` 30 days after their last use.",
  processes: ["worker"],
  every: "1h",
  leader: "one",
  bound: { batch: 5_000, batches: 1_000, of: "rows" },
  deadline: "10m",
});
