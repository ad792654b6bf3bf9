import { recurring } from "../recurring.ts";

export const clearWithheldMessages = recurring({
  name: "clear-withheld",
  about: "Deletes rows of `withheld_messages` after 30 days.",
  processes: ["worker"],
  every: "1h",
  leader: "one",
  bound: { batch: 5_000, batches: 1_000, of: "rows" },
  deadline: "10m",
});
