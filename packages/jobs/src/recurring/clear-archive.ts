import { recurring } from "../recurring.ts";

export const clearArchive = recurring({
  name: "clear-archive",
  about:
    "Deletes removed messages from the archive after 30 days, and the records of finished deletions of deactivated accounts' messages.",
  processes: ["worker"],
  every: "1h",
  leader: "one",
  bound: { batch: 5_000, batches: Number.POSITIVE_INFINITY, of: "messages" },
  deadline: "1h",
});
