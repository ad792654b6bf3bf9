import { recurring } from "../recurring.ts";

/** A failed or aborted run is continued an hour later. */
export const retention = recurring({
  name: "retention",
  about:
    "Once a day by UTC: moves messages to the archive that exceed the retention period of their channel, " +
    "or of the organization for direct messages.",
  processes: ["worker"],
  every: "1h",
  leader: "one per organization",
  bound: { batch: 1_000, batches: Number.POSITIVE_INFINITY, of: "messages" },
  deadline: "1h",
});
