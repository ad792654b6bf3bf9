import { recurring } from "../recurring.ts";

/**
 * Sweeps only rows that are overdue by ten seconds. So a message whose job was lost with the queue is sent within 35 s.
 */
export const sweep = recurring({
  name: "sweep",
  about:
    "The last safety net: adds a job for every organization with overdue messages, and for every " +
    "intent whose job the queue has lost or whose organization has been reactivated.",
  processes: ["worker"],
  every: "20s",
  leader: "one",
  bound: { batch: 1_000, batches: 1, of: "intents, and one job for each organization" },
  deadline: "2m",
});
