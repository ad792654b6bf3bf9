import { recurring } from "../recurring.ts";

/** A failed or aborted run is repeated an hour later. */
export const channelUpkeep = recurring({
  name: "channel-upkeep",
  about:
    "Once a day by UTC: marks channels without messages for 180 days as inactive, and computes the weekly traffic of each channel.",
  processes: ["worker"],
  every: "1h",
  leader: "one per organization",
  bound: { batch: 200, batches: Number.POSITIVE_INFINITY, of: "channels" },
  deadline: "1h",
});
