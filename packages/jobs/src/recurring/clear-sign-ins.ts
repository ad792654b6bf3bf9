import { recurring } from "../recurring.ts";

export const clearSignIns = recurring({
  name: "clear-sign-ins",
  about:
    "Deletes rows of `sso_attempts` after an hour: sign-ins at the identity provider that were begun and not finished.",
  processes: ["worker"],
  every: "10m",
  leader: "one",
  bound: { batch: 5_000, batches: 1_000, of: "rows" },
  deadline: "10m",
});
