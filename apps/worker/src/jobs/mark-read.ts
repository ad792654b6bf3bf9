import { runMarkReadStep } from "@carillon/domain";
import { markRead } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Marks the messages of channels that accounts have left as read, a step at a time. */
export default intentProcessor(markRead, (tx, { id, realmId, payload }) =>
  runMarkReadStep(tx, realmId, id, payload),
);
