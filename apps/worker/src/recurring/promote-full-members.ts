import type { RecurringTask } from "@carillon/scheduling";
import { promoteMembers } from "@carillon/domain";
import { promoteFullMembers } from "@carillon/jobs";

/** Makes full members of those who have passed the waiting period (user-groups.md §2). */
export default {
  definition: promoteFullMembers,
  async run({ db, log, signal }) {
    const organizations = await promoteMembers(db, signal);
    if (organizations > 0) log.info({ organizations }, "made full members");
  },
} satisfies RecurringTask;
