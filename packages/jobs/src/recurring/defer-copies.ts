import { recurring } from "../recurring.ts";

/** A failed or aborted run is continued an hour later. */
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
