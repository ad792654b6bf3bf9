import { batchTries } from "@carillon/scheduling";
import { loadRealm } from "@carillon/model";

import { beginClaiming, claimThese, type CountedRow } from "./claim.ts";
import type { DeliverOptions } from "./delivery-options.ts";
import { stuck, stuckReason } from "./failures.ts";
import { storeFailed, storeFailedUnread, type Outcome } from "./outcome.ts";
import { settle } from "./write-rows.ts";

/** How often a row is tried in a batch of its own before it fails. */
const singleTries = 2;

/** Whether the row had used up its tries before the one that has just been counted. */
export function isGivenUp({ attempts }: CountedRow): boolean {
  return attempts > batchTries + singleTries;
}

/**
 * Fails a row that has used up its tries. If this throws too, the next try leaves out the notice to the sender, the one
 * after it the event, and the last one does not even read the row, so that the row always ends.
 * @returns no outcome of a row that it could not read
 */
export async function giveUp(
  options: DeliverOptions,
  realmId: number,
  { id, attempts }: CountedRow,
): Promise<readonly Outcome[]> {
  const earlier = attempts - (batchTries + singleTries + 1);
  return options.db.transaction(async (tx) => {
    await beginClaiming(tx);
    options.log.error(
      { realmId, scheduledMessageId: id, attempts },
      "scheduled message given up after too many tries",
    );
    if (earlier > 2) {
      await storeFailedUnread(tx, realmId, id, stuckReason(attempts));
      return [];
    }
    const rows = await claimThese(tx, realmId, [id]);
    const failures = rows.map((row) => stuck(row, earlier > 0));
    if (earlier > 1) {
      storeFailed(tx, failures);
      return failures;
    }
    return settle(options, tx, await loadRealm(tx, realmId), failures, []);
  });
}
