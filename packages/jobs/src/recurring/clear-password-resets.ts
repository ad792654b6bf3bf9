import { recurring } from "../recurring.ts";

export const clearPasswordResets = recurring({
  name: "clear-password-resets",
  about:
    "Deletes rows of `password_resets` and `reset_requests` after 30 days, and of `login_tickets` after a day.",
  processes: ["worker"],
  every: "1h",
  leader: "one",
  bound: { batch: 5_000, batches: 1_000, of: "rows" },
  deadline: "10m",
});
