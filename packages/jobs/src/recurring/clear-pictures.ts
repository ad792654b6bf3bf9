import { recurring } from "../recurring.ts";

export const clearPictures = recurring({
  name: "clear-pictures",
  about:
    "Deletes avatars, icons and logos that were replaced more than 30 days ago, and requests for pictures that were interrupted.",
  processes: ["worker"],
  every: "1h",
  leader: "none",
  bound: { batch: 500, batches: 1_000, of: "pictures" },
  deadline: "10m",
});
