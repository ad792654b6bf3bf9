import { isTransient, type Tx } from "@carillon/db";
import { loadRealm } from "@carillon/model";

import { claimThese } from "./claim.ts";
import { tryDeliveryLock } from "./delivery-lock.ts";
import type { DeliverOptions } from "./delivery-options.ts";
import type { DueRow } from "./due-row.ts";
import { broken } from "./failures.ts";
import type { Outcome } from "./outcome.ts";
import { numberRows, prepareRows } from "./prepare-rows.ts";
import { settle, writeRows } from "./write-rows.ts";

/** Delivers each row in its own transaction, and fails a row whose delivery throws. */
export async function deliverOneByOne(
  options: DeliverOptions,
  realmId: number,
  rows: readonly DueRow[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { id } of rows) {
    const delivered = await options.db.transaction(async (tx) =>
      (await tryDeliveryLock(tx, realmId)) ? deliverOne(options, tx, realmId, id) : undefined,
    );
    if (!delivered) break;
    outcomes.push(...delivered);
  }
  return outcomes;
}

/** Sends the row, or fails it if that throws; does nothing if it is no longer due. */
async function deliverOne(
  options: DeliverOptions,
  tx: Tx,
  realmId: number,
  id: number,
): Promise<readonly Outcome[]> {
  const realm = await loadRealm(tx, realmId);
  const rows = await claimThese(tx, realmId, [id]);
  try {
    return await tx.savepoint(async () =>
      writeRows(options, tx, await numberRows(tx, await prepareRows(options, tx, realm, rows))),
    );
  } catch (error) {
    if (options.signal?.aborted || isTransient(error)) throw error;
    options.log.error(
      { err: error, realmId, scheduledMessageId: id },
      "scheduled message could not be sent",
    );
    return settle(options, tx, realm, rows.map(broken), []);
  }
}
