import { recurring } from "../recurring.ts";

export const deleteObjects = recurring({
  name: "delete-objects",
  about:
    "Deletes unused objects of the file store: 24 hours after an unfinished upload began, or after the file was deleted.",
  processes: ["worker"],
  every: "10m",
  leader: "none",
  bound: { batch: 500, batches: 1_000, of: "objects" },
  deadline: "10m",
});
