import { recurring } from "../recurring.ts";

/** A run that fails, or is broken off, is made up for an hour later. */
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
