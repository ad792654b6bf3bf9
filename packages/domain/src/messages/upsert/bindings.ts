import { createHash } from "node:crypto";

import { lockClass, lockKey, notNull, packed, type RowOf, statement, type Tx } from "@carillon/db";
import { type Destination, memberHash, memberKey, membersOf } from "@carillon/model";

/** A key of a sender in a channel, whatever the topic, or in a direct conversation. */
export interface UpsertKey {
  readonly senderId: number;
  readonly destination: Destination;
  readonly key: string;
}

/** Days after its last use until a binding expires. */
const keptDays = 30;

/** Maximum bindings of one sender; the least recently used ones beyond it are deleted. */
const maxBindings = 10_000;

/** Maximum bindings beyond {@link maxBindings} that one request deletes. */
const deletedAtOnce = 1_000;

/** Returns the number of the advisory lock of a key. Two keys may have the same one. */
export function lockNumber({ senderId, destination, key }: UpsertKey): number {
  const place =
    destination.kind === "channel"
      ? `channel ${destination.channelId}`
      : memberKey(membersOf(senderId, destination.userIds));
  return createHash("sha256").update(`${senderId}\n${place}\n${key}`).digest().readInt32BE();
}

/** Takes the lock of a key until the transaction ends. */
export async function lockUpsert(tx: Tx, number: number): Promise<void> {
  await lockKey(tx, "upserts", number);
}

const tryLocks = statement({
  name: "upserts-try-lock",
  text: `SELECT k.number, pg_try_advisory_xact_lock(${lockClass.upserts}, k.number) AS held
    FROM unnest($1::int[]) AS k (number)`,
  overrides: { number: notNull },
});

/** Takes the locks of keys that are free, without waiting; returns the keys whose lock another transaction holds. */
export async function tryLockUpserts(tx: Tx, numbers: readonly number[]): Promise<Set<number>> {
  const rows = await tx.rows(tryLocks, [packed.ints(numbers)]);
  return new Set(rows.filter(({ held }) => !held).map(({ number }) => number));
}

/** The message that a key is bound to; `version`: the highest that was applied, null if no request had one. */
export type Binding = Omit<RowOf<typeof find>, "place">;

const isKept = `u.used_at > now() - interval '${keptDays} days'`;

const find = statement({
  name: "upserts-find",
  text: `SELECT k.place::int, u.recipient_id AS "recipientId", u.message_id AS "messageId", u.version
    FROM unnest($2::int[], $3::int[], $4::bytea[], $5::text[])
        WITH ORDINALITY AS k (sender_id, channel_id, member_hash, key, place)
      CROSS JOIN LATERAL (
        SELECT c.id FROM recipients c WHERE c.channel_id = k.channel_id
        UNION ALL SELECT d.id FROM recipients d WHERE d.realm_id = $1 AND d.member_hash = k.member_hash
      ) r
      JOIN message_upserts u ON u.sender_id = k.sender_id AND u.recipient_id = r.id AND u.key = k.key AND ${isKept}`,
  overrides: { place: notNull },
});

/** Returns the bindings of the keys, in their order; undefined where there is none. */
export async function findBindings(
  tx: Tx,
  realmId: number,
  keys: readonly UpsertKey[],
): Promise<Array<Binding | undefined>> {
  const found = keys.map((): Binding | undefined => undefined);
  const rows = await tx.rows(find, [
    realmId,
    packed.ints(keys.map(({ senderId }) => senderId)),
    packed.ints(
      keys.map(({ destination }) =>
        destination.kind === "channel" ? destination.channelId : null,
      ),
    ),
    keys.map(({ senderId, destination }) =>
      destination.kind === "channel"
        ? null
        : memberHash(memberKey(membersOf(senderId, destination.userIds))),
    ),
    packed.texts(keys.map(({ key }) => key)),
  ]);
  for (const { place, ...binding } of rows) found[place - 1] = binding;
  return found;
}

/** A message that has been sent for a key. */
export interface NewBinding {
  readonly messageId: number;
  readonly key: string;
  readonly version: number | undefined;
}

/** Replaces a binding of the same key. A request without a version keeps the version of the old binding. */
const store = statement({
  name: "upserts-bind",
  text: `INSERT INTO message_upserts AS u (sender_id, recipient_id, key, message_id, version)
    SELECT m.sender_id, m.recipient_id, b.key, m.id, b.version
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS b (message_id, key, version)
      JOIN messages m ON m.id = b.message_id
    ORDER BY 1, 2, 3
    ON CONFLICT (sender_id, recipient_id, key) DO UPDATE SET message_id = excluded.message_id, used_at = now(),
      version = CASE WHEN ${isKept} THEN coalesce(excluded.version, u.version) ELSE excluded.version END`,
});

/**
 * Finds the first excess row once for each sender; a join in one step would find it again for each row. Skips rows that
 * other transactions have locked: a request has just used them, or the next call deletes them.
 */
const trim = statement({
  name: "upserts-trim",
  text: `WITH excess AS MATERIALIZED (
      SELECT s.id, last.used_at FROM unnest($1::int[]) AS s (id)
        CROSS JOIN LATERAL (
          SELECT n.used_at FROM message_upserts n WHERE n.sender_id = s.id
          ORDER BY n.used_at DESC OFFSET ${maxBindings} LIMIT 1) last)
    DELETE FROM message_upserts WHERE ctid = ANY(ARRAY(
      SELECT o.ctid FROM excess e JOIN message_upserts o ON o.sender_id = e.id AND o.used_at <= e.used_at
      ORDER BY o.used_at LIMIT ${deletedAtOnce} FOR NO KEY UPDATE OF o SKIP LOCKED))`,
});

/** Binds keys to the messages sent for them, with the COMMIT, and deletes the excess bindings of each sender. */
export function bind(tx: Tx, senderIds: readonly number[], bindings: readonly NewBinding[]): void {
  if (bindings.length === 0) return;
  tx.sendWithCommit(store, [
    packed.bigints(bindings.map(({ messageId }) => messageId)),
    packed.texts(bindings.map(({ key }) => key)),
    packed.bigints(bindings.map(({ version }) => version ?? null)),
  ]);
  tx.sendWithCommit(trim, [packed.ints([...new Set(senderIds)])]);
}

const use = statement({
  name: "upserts-use",
  text: `UPDATE message_upserts SET used_at = now(), version = coalesce($4, version)
    WHERE sender_id = $1 AND recipient_id = $2 AND key = $3`,
});

/** Records with the COMMIT that a request has used the binding. */
export function useBinding(
  tx: Tx,
  { senderId, key }: UpsertKey,
  { recipientId }: Binding,
  version: number | undefined,
): void {
  tx.sendWithCommit(use, [senderId, recipientId, key, version ?? null]);
}

const clear = statement({
  name: "upserts-clear",
  text: `WITH cleared AS (
      DELETE FROM message_upserts WHERE ctid = ANY(ARRAY(
        SELECT u.ctid FROM message_upserts u WHERE u.used_at <= now() - interval '${keptDays} days'
        ORDER BY u.used_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED))
      RETURNING key)
    SELECT count(*)::int AS count FROM cleared`,
});

/** Deletes at most `limit` bindings that have not been used for {@link keptDays} days; returns how many. */
export async function clearBindings(tx: Tx, limit: number): Promise<number> {
  return (await tx.first(clear, [limit]))?.count ?? 0;
}
