import { lockClass, notNull, statement, type Tx } from "@carillon/db";

/**
 * SQL: the advisory locks of channels and senders. An organization's channels and senders share 64 locks, because
 * PostgreSQL reserves memory for 64 locks per transaction (`max_locks_per_transaction`) and one request may name 500
 * channels. Always ordered by key to prevent deadlocks.
 */
const parts = `(
    SELECT ((realm_id & 33554431) << 6) | (id & 63) AS key FROM channels WHERE id = ANY($1::int[])
    UNION SELECT ((realm_id & 33554431) << 6) | (id & 63) FROM users WHERE id = ANY($2::int[])
    ORDER BY key
  ) AS locks`;

const locking = (name: "audience-hold" | "audience-change", lock: string) =>
  statement({
    name,
    text: `SELECT ${lock}(${lockClass.audience}, key) FROM ${parts}`,
  });

/** Returns which of its organization's locks a channel or a sender uses. */
export function audiencePart(id: number): number {
  return id & 63;
}

function partsOf(...ids: ReadonlyArray<readonly number[]>): number[] {
  return [...new Set(ids.flat().map(audiencePart))];
}

const hold = locking("audience-hold", "pg_advisory_xact_lock_shared");
const change = locking("audience-change", "pg_advisory_xact_lock");

/** SQL: milliseconds since the statement began. */
const waitedMs = "(extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000)::int";

/** Sets `lock_timeout` to what is left of $3 milliseconds before each lock, because PostgreSQL applies it to each lock anew. */
const changeSoon = statement({
  name: "audience-change-soon",
  text: `SELECT set_config('lock_timeout', greatest(1, $3::int - ${waitedMs})::text, true) AS ms,
      pg_advisory_xact_lock(${lockClass.audience}, key)
    FROM ${parts}`,
});

const tryToHold = statement({
  name: "audience-try-hold",
  text: `SELECT key & 63 AS part, pg_try_advisory_xact_lock_shared(${lockClass.audience}, key) AS held
    FROM ${parts}`,
  overrides: { part: notNull },
});

/**
 * Takes the audience locks of channels in shared mode until the transaction ends: subscriptions cannot change
 * meanwhile. A transaction that sends to channels takes them before its checks, so that each message comes either before
 * an unsubscription, and reaches the account, or after it, and does not. Commits and events have the same order
 * (docs/decisions/012). Waits only for {@link lockAudiences}.
 * @param senderIds sending accounts, which cannot be deactivated until the transaction ends
 */
export async function lockAudiencesShared(
  tx: Tx,
  channelIds: readonly number[],
  senderIds: readonly number[] = [],
): Promise<void> {
  if (channelIds.length + senderIds.length === 0) return;
  const keys = partsOf(channelIds, senderIds);
  await tx.lock({ name: "audience", keys, shared: true }, hold, [channelIds, senderIds]);
}

/**
 * Takes the locks of {@link lockAudiencesShared} without waiting.
 * @returns the locks not taken, because another transaction holds them exclusively or waits to
 */
export async function tryLockAudiencesShared(
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
 * Takes the audience locks of channels exclusively until the transaction ends, to change subscriptions: blocks other
 * changes and sends.
 * @param senderIds accounts that cannot send anything meanwhile
 */
export async function lockAudiences(
  tx: Tx,
  channelIds: readonly number[],
  senderIds: readonly number[] = [],
): Promise<void> {
  if (channelIds.length + senderIds.length === 0) return;
  const keys = partsOf(channelIds, senderIds);
  await tx.lock({ name: "audience", keys }, change, [channelIds, senderIds]);
}

/**
 * Takes the locks of {@link lockAudiences}, and waits at most `waitMs` milliseconds for all of them together. Leaves
 * `lock_timeout` changed. A transaction that waits holds the locks that it has, so messages to their channels wait too.
 * @throws an error of PostgreSQL, `lock_not_available`, if the time is over
 */
export async function lockAudiencesSoon(
  tx: Tx,
  channelIds: readonly number[],
  waitMs: number,
): Promise<void> {
  if (channelIds.length === 0) return;
  const keys = partsOf(channelIds);
  await tx.lock({ name: "audience", keys }, changeSoon, [channelIds, [], waitMs]);
}
