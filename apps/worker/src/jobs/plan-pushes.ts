import { planPushBatch } from "@carillon/domain";
import { planPushes } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Finds out to whom new messages are pushed, a batch of receivers at a time. */
export default intentProcessor(planPushes, (tx, { id, realmId, payload }) =>
  planPushBatch(tx, realmId, id, payload),
);
