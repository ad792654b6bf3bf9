import { recurring } from "../recurring.ts";

/** Defers the copies of people who are away. The next hourly run repeats a run that failed or was aborted. */
export const deferCopies = recurring({
  name: "defer-copies",
  about:
    "Once a day by UTC: finds people who have been away for `AWAY_AFTER_DAYS`; messages to channels write no copies for them until they come back.",
  processes: ["worker"],
  every: "1h",
  leader: "one per organization",
  bound: { batch: 5_000, batches: Number.POSITIVE_INFINITY, of: "subscriptions" },
  deadline: "1h",
});
