import { clearBindings } from "@carillon/domain";
import { clearUpserts } from "@carillon/jobs";

import { taskInBatches } from "../task-in-batches.ts";

/** Deletes upsert keys that no request has used for 30 days. */
export default taskInBatches(clearUpserts, clearBindings);
