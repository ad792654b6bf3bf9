import { recurring } from "../recurring.ts";

export const clearIntents = recurring({
  name: "clear-intents",
  about: "Deletes rows of `job_intent` a day after they were done. Dead letters stay.",
  processes: ["worker"],
  every: "1m",
  leader: "one",
  bound: { batch: 1_000, batches: 100, of: "rows" },
  deadline: "30s",
});
