import { type Database, notNull, type RowOf, statement, type Tx } from "@carillon/db";
import { flag, lockAudiences } from "@carillon/model";

/** Maximum copies that one transaction makes. It takes about 0.1 s. */
const copiesAtOnce = 10_000;

/** In channels with more missing copies, most copies are made without the audience lock, so that sending goes on. */
const copiesUnderLock = 1_000;

/**
 * Selects the channels in which a person has deferred copies, and whether more than {@link copiesUnderLock} of them are of
 * messages older than five minutes. Channels with fewer take one transaction.
 */
const deferredChannels = statement({
  name: "deferred-channels",
  text: `SELECT s.channel_id AS "channelId", missed.count > ${copiesUnderLock} AS "hasMany"
    FROM subscriptions s JOIN recipients r ON r.channel_id = s.channel_id
    CROSS JOIN LATERAL (SELECT count(*) FROM (
      SELECT FROM messages m WHERE m.recipient_id = r.id AND m.id > s.deferred_after
        AND m.id <= coalesce(s.deferred_until, m.id) AND m.sent_at < now() - interval '5 minutes'
      ORDER BY m.id LIMIT ${copiesUnderLock + 1}) m) missed
    WHERE s.user_id = $1 AND s.deferred_after IS NOT NULL ORDER BY s.channel_id`,
});

/** Locks a channel's row against removals and moves of its messages, but not against other people who come back. */
const holdChannel = statement({
  name: "deferred-channel-hold",
  text: "SELECT id FROM channels WHERE id = $1 FOR SHARE",
});

const holdSubscription = statement({
  name: "deferred-copies-hold",
  text: `SELECT r.id AS "recipientId", s.deferred_after AS after, s.deferred_until AS until, s.deferred_read AS "isRead"
    FROM subscriptions s JOIN recipients r ON r.channel_id = s.channel_id
    WHERE s.channel_id = $1 AND s.user_id = $2 AND s.deferred_after IS NOT NULL FOR NO KEY UPDATE OF s`,
  overrides: { after: notNull },
});

/**
 * Makes the next copies, and sets `deferred_after` to the last of them.
 *
 * While messages are being sent, a message with a lower id may be committed later. A transaction that sends takes less than
 * a minute. So without the audience lock, the slice ends before the first message of the last five minutes.
 */
export const makeSlice = statement({
  name: "deferred-copies-make",
  text: `WITH slice AS MATERIALIZED (
      SELECT m.id, m.changed_channel, m.sent_at FROM messages m
      WHERE m.recipient_id = $3 AND m.id > $4 AND m.id <= $5 ORDER BY m.id LIMIT $8
    ), settled AS MATERIALIZED (
      SELECT id, changed_channel FROM (
        SELECT id, changed_channel, bool_and(sent_at < now() - interval '5 minutes') OVER (ORDER BY id) AS settled
        FROM slice) s
      WHERE settled OR $7
    ), made AS (
      INSERT INTO user_messages (user_id, message_id, flags)
      SELECT $1, id, $6 FROM settled WHERE NOT changed_channel ORDER BY id ON CONFLICT DO NOTHING
      RETURNING message_id
    ), moved AS (
      UPDATE subscriptions SET deferred_after = (SELECT max(id) FROM settled)
      WHERE channel_id = $2 AND user_id = $1 AND EXISTS (SELECT FROM settled)
    )
    SELECT (SELECT count(*)::int FROM settled) AS "lookedAt", (SELECT count(*)::int FROM made) AS made`,
});

const finish = statement({
  name: "deferred-copies-finish",
  text: `UPDATE subscriptions SET deferred_after = NULL, deferred_until = NULL, deferred_read = false
    WHERE channel_id = $1 AND user_id = $2`,
});

/** The copies of a person that a run has made. */
export interface MadeCopies {
  readonly copies: number;
  /** Whether all copies exist now. */
  readonly isDone: boolean;
}

/**
 * Makes a person's deferred copies of channel messages, channel by channel, in transactions of at most
 * {@link copiesAtOnce}.
 *
 * The last transaction of a channel holds its audience lock exclusively, so that no message is being sent to it. Each
 * message either is already committed and gets its copy here, or is sent after this transaction, when the person is no
 * longer away (docs/decisions/083). The lock also waits for transactions that have read the person's copies for an event.
 * @param mayContinue called before each transaction
 */
export async function makeDeferredCopies(
  db: Database,
  userId: number,
  mayContinue: () => boolean,
): Promise<MadeCopies> {
  let copies = 0;
  for (const { channelId, hasMany } of await db.rows(deferredChannels, [userId])) {
    for (let isLast = !hasMany, isOver = false; !isOver;) {
      if (!mayContinue()) return { copies, isDone: false };
      const slice = await db.transaction((tx) => makeCopies(tx, { channelId, userId }, isLast));
      copies += slice.made;
      isOver = slice.isOver;
      isLast ||= slice.isSettled;
    }
  }
  return { copies, isDone: true };
}

interface Slice {
  readonly made: number;
  /** Whether all messages that could be copied without the audience lock have their copies. */
  readonly isSettled: boolean;
  /** Whether all copies of the channel exist. */
  readonly isOver: boolean;
}

/**
 * Makes the next deferred copies of a person, in one channel.
 * @returns whether all copies of the person exist now
 */
export async function makeNextSlice(tx: Tx, userId: number): Promise<boolean> {
  const [next, ...others] = await tx.rows(deferredChannels, [userId]);
  if (!next) return true;
  const { channelId, hasMany } = next;
  const { isOver } = await makeCopies(tx, { channelId, userId }, !hasMany);
  return isOver && others.length === 0;
}

async function makeCopies(
  tx: Tx,
  { channelId, userId }: { readonly channelId: number; readonly userId: number },
  isLast: boolean,
): Promise<Slice> {
  if (isLast) await lockAudiences(tx, [channelId]);
  const channels = { name: "channels", keys: [channelId], shared: true } as const;
  await tx.lock(channels, holdChannel, [channelId]);
  const subscriptions = { name: "subscriptions", keys: [channelId] } as const;
  const [range] = await tx.lock(subscriptions, holdSubscription, [channelId, userId]);
  // Another request of the person has made them meanwhile.
  if (!range) return { made: 0, isSettled: true, isOver: true };
  const { made, lookedAt } = await makeNext(tx, channelId, userId, range, isLast);
  const isSettled = lookedAt < copiesAtOnce;
  const isOver = isLast && isSettled;
  if (isOver) await tx.rows(finish, [channelId, userId]);
  return { made, isSettled, isOver };
}

async function makeNext(
  tx: Tx,
  channelId: number,
  userId: number,
  { recipientId, after, until, isRead }: RowOf<typeof holdSubscription>,
  isLast: boolean,
): Promise<RowOf<typeof makeSlice>> {
  const [made] = await tx.rows(makeSlice, [
    userId,
    channelId,
    recipientId,
    after,
    until ?? Number.MAX_SAFE_INTEGER,
    isRead ? flag.read : 0,
    isLast,
    copiesAtOnce,
  ]);
  if (!made) throw new Error("the statement that makes deferred copies returned no row");
  return made;
}

/** Inserts copies in the order of accounts, then of messages, as every statement that writes copies does. */
const makeOf = statement({
  name: "deferred-copies-of-messages",
  text: `INSERT INTO user_messages (user_id, message_id, flags)
    SELECT s.user_id, m.id, CASE WHEN s.deferred_read THEN ${flag.read} ELSE 0 END
    FROM subscriptions s CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.id = ANY(ARRAY(SELECT unnest($2::bigint[])))
        AND m.id > s.deferred_after AND m.id <= coalesce(s.deferred_until, m.id) AND NOT m.changed_channel) m
    WHERE s.channel_id = $1 AND s.deferred_after IS NOT NULL
    ORDER BY s.user_id, m.id ON CONFLICT DO NOTHING`,
});

/**
 * Makes all deferred copies of messages that will be moved to another channel. The transaction must hold the lock of the
 * row of their current channel.
 */
export async function makeCopiesOf(
  tx: Tx,
  channelId: number,
  ids: readonly number[],
): Promise<void> {
  await tx.rows(makeOf, [channelId, ids]);
}
