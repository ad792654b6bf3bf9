import { promoteMembers } from "@carillon/domain";

import { every, type Recurring } from "./every.ts";
import type { WorkerServices } from "./services.ts";

/** An hour: a run that fails, or finds another worker at it that is frozen, is made up for as soon. */
const intervalMs = 3_600_000;

/** Makes full members of those who have passed the waiting period (user-groups.md §2), at the start and every hour. */
export function startPromotions({ db, log }: Pick<WorkerServices, "db" | "log">): Recurring {
  return every(intervalMs, "the making of full members", log, async (signal) => {
    const organizations = await promoteMembers(db, signal);
    if (organizations > 0) log.info({ organizations }, "made full members");
  });
}
