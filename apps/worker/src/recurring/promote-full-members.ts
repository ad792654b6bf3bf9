import type { RecurringTask } from "@carillon/scheduling";
import { promoteMembers } from "@carillon/domain";
import { promoteFullMembers } from "@carillon/jobs";

/** Promotes accounts past the waiting period to full members (user-groups.md §2). */
export default {
  definition: promoteFullMembers,
  async run({ db, log, signal }) {
    const organizations = await promoteMembers(db, signal);
    if (organizations > 0) log.info({ organizations }, "promoted full members");
  },
} satisfies RecurringTask;
