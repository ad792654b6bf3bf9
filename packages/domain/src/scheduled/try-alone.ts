import { triesTogether } from "@carillon/scheduling";
import { loadRealm } from "@carillon/model";

import { becomeDeliverer, claimThese, type DueRow } from "./claim.ts";
import type { DeliverOptions } from "./deliver.ts";
import { stuck } from "./failures.ts";
import { storeFailed, type Outcome } from "./outcome.ts";
import { settle } from "./write-rows.ts";

/** How often a row is tried alone before it fails. */
const triesAlone = 2;

/** Whether the row has been tried as often as it may be, before the try that has been counted now. */
export function isGivenUp({ attempts }: DueRow): boolean {
  return attempts > triesTogether + triesAlone;
}

/**
 * Fails a row that could not be sent however often it was tried. Where telling of it fails too, the next try does
 * without the notice to its sender, and the one after it without an event: the row comes to an end.
 */
export async function giveUp(
  options: DeliverOptions,
  realmId: number,
  { id, attempts }: DueRow,
): Promise<readonly Outcome[]> {
  const before = attempts - (triesTogether + triesAlone + 1);
  return options.db.transaction(async (tx) => {
    if (!(await becomeDeliverer(tx, realmId))) return [];
    const rows = await claimThese(tx, realmId, [id]);
    options.log.error({ realmId, scheduledMessageId: id, attempts }, "a due message is given up");
    const failures = rows.map((row) => stuck(row, before > 0));
    if (before > 1) {
      storeFailed(tx, failures);
      return failures;
    }
    return settle(options, tx, await loadRealm(tx, realmId), failures, []);
  });
}
