import { markReadLater } from "@carillon/domain";
import { markRead } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";

/** Marks what people have not read of a channel that they have left, a step at a time. */
export default intentProcessor(markRead, (tx, { id, realmId, payload }) =>
  markReadLater(tx, realmId, id, payload),
);
