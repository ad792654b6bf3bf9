import { markUnsubscribedRead } from "@carillon/domain";
import { markRead } from "@carillon/jobs";

import { intentProcessor } from "../intent-processor.ts";
import type { WorkerServices } from "../services.ts";

/** Marks what people have not read of a channel that they have left, a step at a time. */
export function markReadProcessor(services: WorkerServices) {
  return intentProcessor(services, markRead, (tx, { id, realmId, payload }) =>
    markUnsubscribedRead(tx, realmId, id, payload),
  );
}
