import { batchTries, recordBatch } from "@carillon/scheduling";
import { loadRealm } from "@carillon/model";

import { claimThese } from "./claim.ts";
import { configureDelivery } from "./delivery-lock.ts";
import type { DeliverOptions } from "./delivery-options.ts";
import { recordFailures } from "./failure-log.ts";
import { singleTries, stuck, stuckReason, stuckUnread } from "./failures.ts";
import { storeFailedUnread, storeOutcomes, type Outcome, type UnreadFailure } from "./outcome.ts";
import type { CountedRow } from "./tries.ts";
import { settle } from "./write-rows.ts";

/** Whether the row had used up its tries before the one that has just been counted. */
export function isGivenUp({ attempts }: CountedRow): boolean {
  return attempts > batchTries + singleTries;
}

/**
 * Marks a row that has used up its tries as failed. If that throws as well, each further call does less, so that the row
 * fails in the end: the second call sends no notice to the sender, the third emits no event, the fourth does not read the
 * row, and every later one only marks the row as failed.
 * @returns the failure; an empty list if the row is no longer pending
 */
export async function giveUp(
  options: DeliverOptions,
  realmId: number,
  { id, attempts }: CountedRow,
): Promise<ReadonlyArray<Outcome | UnreadFailure>> {
  const { db, log, backend = "unknown" } = options;
  const earlierCalls = attempts - (batchTries + singleTries + 1);
  log.error(
    { realmId, scheduledMessageId: id, attempts },
    "scheduled message given up after too many tries",
  );
  return db.transaction(async (tx) => {
    await configureDelivery(tx, "single");
    if (earlierCalls > 2) {
      const row = await storeFailedUnread(tx, realmId, id, stuckReason);
      if (!row) return [];
      const failure = stuckUnread(row);
      if (earlierCalls === 3) {
        recordFailures(tx, realmId, [failure]);
        recordBatch(tx, { backend, dueAt: [], failed: 1 });
      }
      return [failure];
    }
    const rows = await claimThese(tx, realmId, [id]);
    const failures = rows.map((row) => stuck(row, earlierCalls > 0));
    if (earlierCalls > 1) {
      storeOutcomes(tx, failures, backend);
      recordFailures(tx, realmId, failures);
      return failures;
    }
    return settle(options, tx, await loadRealm(tx, realmId), failures, []);
  });
}
