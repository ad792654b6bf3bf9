import { clearWithheld } from "@carillon/domain";
import { clearWithheldMessages } from "@carillon/jobs";

import { taskInBatches } from "../task-in-batches.ts";

/** Deletes records of withheld messages that their senders can no longer list. */
export default taskInBatches(clearWithheldMessages, clearWithheld);
