import { recurring } from "../recurring.ts";

export const heartbeat = recurring({
  name: "heartbeat",
  about:
    "Writes the row by which the dashboard sees this process, and deletes those of processes that have died.",
  processes: ["gateway", "worker", "dashboard"],
  every: "5s",
  leader: "none",
  bound: { batch: 1, batches: 1, of: "row" },
  deadline: "35s",
  throughShutdown: true,
});
