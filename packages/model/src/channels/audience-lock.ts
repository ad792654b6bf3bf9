import { column, lockClass, statement, type Tx } from "@carillon/db";

/**
 * An organization's channels share 64 locks: as many as PostgreSQL has room for in every transaction
 * (`max_locks_per_transaction`), while one request may name 500 channels. In one order everywhere, so that nobody
 * waits in a circle. Who sends shares them too.
 */
const parts = `(
    SELECT ((realm_id & 33554431) << 6) | (id & 63) AS key FROM channels WHERE id = ANY($1::int[])
    UNION SELECT ((realm_id & 33554431) << 6) | (id & 63) FROM users WHERE id = ANY($2::int[])
    ORDER BY key
  ) AS locks`;

const locking = (name: string, lock: string) =>
  statement({
    name,
    text: `SELECT ${lock}(${lockClass.audience}, key) FROM ${parts}`,
    row: { [lock]: column.nothing },
  });

/** The part of its organization that a channel or a sender is in, by whose lock it is held. */
export function audiencePart(id: number): number {
  return id & 63;
}

function partsOf(...ids: ReadonlyArray<readonly number[]>): number[] {
  return [...new Set(ids.flat().map(audiencePart))];
}

const hold = locking("audience-hold", "pg_advisory_xact_lock_shared");
const change = locking("audience-change", "pg_advisory_xact_lock");

const tryToHold = statement({
  name: "audience-try-hold",
  text: `SELECT key & 63 AS part, pg_try_advisory_xact_lock_shared(${lockClass.audience}, key) AS held
    FROM ${parts}`,
  row: { part: column.int, held: column.bool },
});

/**
 * Keeps everybody subscribed, and everybody else not, until the transaction ends; others may do the same. A
 * transaction that sends to the channels takes it before the check: so a message comes before an unsubscription, and
 * reaches whom it was for, or after it, and knows of it. Their order is that of their commits, which is that of their
 * events (docs/decisions/012). It waits for {@link changeAudiences} only.
 * @param senderIds of accounts that send: they are not deactivated until the transaction ends
 */
export async function holdAudiences(
  tx: Tx,
  channelIds: readonly number[],
  senderIds: readonly number[] = [],
): Promise<void> {
  if (channelIds.length + senderIds.length === 0) return;
  const keys = partsOf(channelIds, senderIds);
  await tx.lock({ name: "audience", keys, shared: true }, hold, [channelIds, senderIds]);
}

/**
 * The same without waiting.
 * @returns the parts that were not had, because somebody changes them, or waits to
 */
export async function tryAudiences(
  tx: Tx,
  channelIds: readonly number[],
  senderIds: readonly number[],
): Promise<Set<number>> {
  const keys = partsOf(channelIds, senderIds);
  const rows = await tx.lock({ name: "audience", keys, shared: true }, tryToHold, [
    channelIds,
    senderIds,
  ]);
  return new Set(rows.filter(({ held }) => !held).map(({ part }) => part));
}

/**
 * One change at a time of who is subscribed to the channels, and nobody sends to them meanwhile.
 * @param senderIds of accounts that send nothing at all meanwhile
 */
export async function changeAudiences(
  tx: Tx,
  channelIds: readonly number[],
  senderIds: readonly number[] = [],
): Promise<void> {
  if (channelIds.length + senderIds.length === 0) return;
  const keys = partsOf(channelIds, senderIds);
  await tx.lock({ name: "audience", keys }, change, [channelIds, senderIds]);
}
