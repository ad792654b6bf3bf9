import { recurring } from "../recurring.ts";

export const clearEvents = recurring({
  name: "clear-events",
  about: "Deletes dead event queues, and events that no queue or event subscription still needs.",
  processes: ["worker"],
  every: "1m",
  leader: "one",
  bound: { batch: 5_000, batches: 50, of: "events of each organization" },
  deadline: "5m",
});
