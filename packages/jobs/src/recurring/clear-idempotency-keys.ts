import { recurring } from "../recurring.ts";

export const clearIdempotencyKeys = recurring({
  name: "clear-idempotency-keys",
  about: "Deletes rows of `idempotency_keys` after 24 hours, when their keys count as new again.",
  processes: ["worker"],
  every: "10m",
  leader: "one",
  bound: { batch: 5_000, batches: 1_000, of: "rows" },
  deadline: "10m",
});
