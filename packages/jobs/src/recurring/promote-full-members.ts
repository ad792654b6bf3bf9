import { recurring } from "../recurring.ts";

/** A run that fails, or finds the lock held by a frozen worker, is repeated an hour later. */
export const promoteFullMembers = recurring({
  name: "promote-full-members",
  about: "Promotes accounts to full members after the waiting period of their organization.",
  processes: ["worker"],
  every: "1h",
  leader: "one per organization",
  bound: { batch: 1, batches: Number.POSITIVE_INFINITY, of: "organization" },
  deadline: "1h",
});
