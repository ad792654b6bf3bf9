import { recurring } from "../recurring.ts";

export const foldDeliveries = recurring({
  name: "fold-deliveries",
  about:
    "Adds the results of deliveries (`delivery_batches`) to the history that the dashboard shows, and deletes five-minute steps older than 25 hours and one-hour steps older than 31 days.",
  processes: ["worker"],
  every: "20s",
  leader: "one",
  bound: { batch: 500, batches: 1_000, of: "rows" },
  deadline: "1m",
});
