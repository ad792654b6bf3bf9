import { lockClass, type Tx } from "@carillon/db";

/** In the order given; see {@link ascending}. */
const locking = (name: string, lock: string) => ({
  name,
  text: `SELECT ${lock}(${lockClass.audience}, id) FROM unnest($1::int[]) AS id`,
});

const hold = locking("audience-hold", "pg_advisory_xact_lock_shared");
const change = locking("audience-change", "pg_advisory_xact_lock");

/**
 * Keeps everybody subscribed, and everybody else not, until the transaction ends; others may do the same. Whoever
 * sends to the channels takes it before the check: so a message comes before an unsubscription, and reaches whom it
 * was for, or after it, and knows of it. Their order is that of their commits, which is that of their events
 * (docs/decisions/012). It waits for {@link changeAudiences} only.
 */
export async function holdAudiences(tx: Tx, channelIds: readonly number[]): Promise<void> {
  if (channelIds.length > 0) await tx.rows(hold, [ascending(channelIds)]);
}

/** One change at a time of who is subscribed to the channels, and nobody sends to them meanwhile. */
export async function changeAudiences(tx: Tx, channelIds: readonly number[]): Promise<void> {
  if (channelIds.length > 0) await tx.rows(change, [ascending(channelIds)]);
}

/** One order everywhere, so that nobody waits in a circle. */
function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}
