import { recurring } from "../recurring.ts";

export const clearInvitations = recurring({
  name: "clear-invitations",
  about:
    "Deletes rows of `invitations` 30 days after they have ended or expired, and counts of mails in `invitation_sendings`.",
  processes: ["worker"],
  every: "1h",
  leader: "one",
  bound: { batch: 1_000, batches: 1_000, of: "rows" },
  deadline: "10m",
});
