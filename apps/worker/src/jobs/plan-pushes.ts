import { planPushBatch } from "@carillon/domain";
import { planPushes } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Plans which receivers get a push for new messages, a batch of receivers at a time. */
export default intentProcessor(planPushes, (tx, { id, realmId, payload }) =>
  planPushBatch(tx, realmId, id, payload),
);
