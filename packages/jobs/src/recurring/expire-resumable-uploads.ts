import { recurring } from "../recurring.ts";

export const expireResumableUploads = recurring({
  name: "expire-resumable-uploads",
  about: "Deletes rows of `resumable_uploads` 24 hours after the upload began.",
  processes: ["worker"],
  every: "1h",
  leader: "none",
  bound: { batch: 1_000, batches: 1_000, of: "uploads" },
  deadline: "10m",
});
