import { runMakeCopiesStep } from "@carillon/domain";
import { makeCopies } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Makes the copies of messages that were sent while a person was away, a step at a time. */
export default intentProcessor(makeCopies, (tx, { realmId, payload }) =>
  runMakeCopiesStep(tx, realmId, payload.userId),
);
