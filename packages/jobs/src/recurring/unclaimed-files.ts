import { recurring } from "../recurring.ts";

export const unclaimedFiles = recurring({
  name: "unclaimed-files",
  about: "Deletes uploaded files that nothing has referred to for 5 weeks after their upload.",
  processes: ["worker"],
  every: "24h",
  leader: "one",
  bound: { batch: 1_000, batches: 1_000, of: "files" },
  deadline: "10m",
});
