import { recurring } from "../recurring.ts";

export const unclaimedFiles = recurring({
  name: "unclaimed-files",
  about: "Deletes files that were uploaded more than 5 weeks ago and that nothing links to.",
  processes: ["worker"],
  every: "24h",
  leader: "one",
  bound: { batch: 1_000, batches: 1_000, of: "files" },
  deadline: "10m",
});
