import { recurring } from "../recurring.ts";

/** A failed or aborted run is repeated an hour later. */
export const channelUpkeep = recurring({
  name: "channel-upkeep",
  about:
    "Once a day by UTC: notes which channels have been quiet for 180 days, and how much is sent to each in a week.",
  processes: ["worker"],
  every: "1h",
  leader: "one per organization",
  bound: { batch: 200, batches: Number.POSITIVE_INFINITY, of: "channels" },
  deadline: "1h",
});
