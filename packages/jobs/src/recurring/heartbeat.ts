import { recurring } from "../recurring.ts";

export const heartbeat = recurring({
  name: "heartbeat",
  about:
    "Updates the row that shows this process on the dashboard, and deletes rows of processes that crashed.",
  processes: ["gateway", "worker", "dashboard"],
  every: "5s",
  leader: "none",
  bound: { batch: 1, batches: 1, of: "row" },
  deadline: "35s",
  throughShutdown: true,
});
