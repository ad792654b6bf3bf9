import { recordIntents } from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import { removePushes } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";

import { accountsInRemoval, mostRemoved } from "./call-size.ts";

/** Messages that were on an account's devices, ascending. */
export interface Pushed {
  readonly userId: number;
  readonly ids: readonly number[];
}

/**
 * Writes down that messages are to go off devices (push.md §9), in the transaction in which they are read, or gone, and
 * their copies say no more that they were pushed. Without any it asks the database nothing.
 */
export async function recordPushRemovals(
  tx: Tx,
  realmId: number,
  pushed: readonly Pushed[],
): Promise<void> {
  const removals = pushed.flatMap(({ userId, ids }) =>
    ids.length > 0 ? [{ userId, messageIds: ids.slice(-mostRemoved) }] : [],
  );
  if (removals.length === 0) return;
  const request = uniqueId();
  const starts = removals.flatMap((_, i) => (i % accountsInRemoval === 0 ? [i] : []));
  await recordIntents(
    tx,
    realmId,
    removePushes,
    starts.map((start) => ({
      key: `${request}-${start}`,
      payload: { removals: removals.slice(start, start + accountsInRemoval) },
    })),
  );
}
