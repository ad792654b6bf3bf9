import { clearInvitations as clear } from "@carillon/domain";
import { clearInvitations } from "@carillon/jobs";

import { taskInBatches } from "../task-in-batches.ts";

/** Deletes links that ended long ago, and counts of mails that are older than any rate rule. */
export default taskInBatches(clearInvitations, clear);
