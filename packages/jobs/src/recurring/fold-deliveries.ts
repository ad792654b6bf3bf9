import { recurring } from "../recurring.ts";

export const foldDeliveries = recurring({
  name: "fold-deliveries",
  about:
    "Adds what deliveries have come to (`delivery_batches`) to the history that the dashboard shows, and deletes of it what is older than 25 hours in steps of five minutes, and 31 days in steps of an hour.",
  processes: ["worker"],
  every: "20s",
  leader: "one",
  bound: { batch: 500, batches: 1_000, of: "rows" },
  deadline: "1m",
});
