import { recurring } from "../recurring.ts";

export const deleteObjects = recurring({
  name: "delete-objects",
  about:
    "Deletes objects of the file store that nothing uses: 24 hours after their upload failed, or after their file was deleted.",
  processes: ["worker"],
  every: "10m",
  leader: "none",
  bound: { batch: 500, batches: 1_000, of: "objects" },
  deadline: "10m",
});
