import { errors } from "@carillon/contract";
import {
  type Database,
  notNull,
  pauseBeforeRetry,
  type RowOf,
  statement,
  type Tx,
} from "@carillon/db";
import { flag, lockAudiencesSoon } from "@carillon/model";
import { IntentBusy, lockSoon } from "@carillon/outbox";

/** Maximum copies that one transaction makes. It takes about 0.1 s. */
const copiesAtOnce = 10_000;

/**
 * Maximum channels whose last copies one transaction makes. After a transaction that did not get its locks, the next one
 * takes a quarter of them, because the locks of few channels are free at the same time more often.
 */
const channelsAtOnce = 100;

/** The same for a job, which does not know how often others did not get the locks. */
const channelsOfJob = 16;

/** Channels with more missed messages get most of their copies while messages are being sent to them. */
const copiesUnderLock = 10;

/**
 * Milliseconds for which a transaction waits for all of its audience locks together. The wait is short, because new messages
 * of the channels wait behind it. After {@link shortTries} each try waits twice as long as the one before, up to the maximum:
 * if messages are sent all the time, and sending one takes longer than the first wait, a short wait never succeeds.
 */
const firstLockMs = 200;
const maxLockMs = 2_000;

/** Number of tries that wait for {@link firstLockMs}. */
const shortTries = 4;

/** SQL: the last message of the range of the subscription `s`. */
const lastMissed = "coalesce(s.deferred_until, 9223372036854775807)";

/**
 * Finds the next channels with deferred copies. It examines a few messages of each, however many were missed. While it
 * finds many messages older than five minutes, the next slice makes at least one copy.
 */
const nextChannels = statement({
  name: "deferred-channels",
  text: `SELECT s.channel_id AS "channelId", missed."hasMany"
    FROM (
      SELECT * FROM subscriptions WHERE user_id = $1 AND deferred_after IS NOT NULL ORDER BY channel_id LIMIT $2
    ) s JOIN recipients r ON r.channel_id = s.channel_id
    CROSS JOIN LATERAL (
      SELECT count(*) > ${copiesUnderLock} AND bool_and(m.sent_at < now() - interval '5 minutes') AS "hasMany" FROM (
        SELECT m.sent_at FROM messages m WHERE m.recipient_id = r.id AND m.id > s.deferred_after AND m.id <= ${lastMissed}
        ORDER BY m.id LIMIT ${copiesUnderLock + 1}) m) missed
    ORDER BY s.channel_id`,
  overrides: { hasMany: notNull },
});

/** Conflicts with the locks of removals and of moves to other channels, but not with other people who come back. */
const lockChannelRowsShared = statement({
  name: "deferred-channels-hold",
  text: "SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR SHARE",
});

const lockRanges = statement({
  name: "deferred-copies-hold",
  text: `SELECT r.id AS "recipientId", s.channel_id AS "channelId", s.deferred_after AS after,
      s.deferred_until AS until, s.deferred_read AS "isRead"
    FROM subscriptions s JOIN recipients r ON r.channel_id = s.channel_id
    WHERE s.channel_id = ANY($1::int[]) AND s.user_id = $2 AND s.deferred_after IS NOT NULL
    ORDER BY s.channel_id FOR NO KEY UPDATE OF s`,
  overrides: { after: notNull },
});

/**
 * Makes the next copies of one channel, and moves the begin of the deferred ones behind them.
 *
 * While messages are being sent, a message with a lower id may be committed later. It is at most a minute old, because no
 * transaction lasts longer. So the slice ends before the first message of the last five minutes.
 */
const makeSlice = statement({
  name: "deferred-copies-make",
  text: `WITH slice AS MATERIALIZED (
      SELECT m.id, m.changed_channel, m.sent_at FROM messages m
      WHERE m.recipient_id = $3 AND m.id > $4 AND m.id <= $5 ORDER BY m.id LIMIT $7
    ), settled AS MATERIALIZED (
      SELECT id, changed_channel FROM (
        SELECT id, changed_channel, bool_and(sent_at < now() - interval '5 minutes') OVER (ORDER BY id) AS settled
        FROM slice) s
      WHERE settled
    ), made AS (
      INSERT INTO user_messages (user_id, message_id, flags)
      SELECT $1, id, $6 FROM settled WHERE NOT changed_channel ORDER BY id ON CONFLICT DO NOTHING
      RETURNING message_id
    ), moved AS (
      UPDATE subscriptions SET deferred_after = (SELECT max(id) FROM settled)
      WHERE channel_id = $2 AND user_id = $1 AND EXISTS (SELECT FROM settled)
    )
    SELECT count(*)::int AS copies FROM made`,
});

/** Makes up to $3 copies of each channel, and ends the ranges whose copies all exist. */
const makeLastCopies = statement({
  name: "deferred-copies-make-last",
  text: `WITH missed AS MATERIALIZED (
      SELECT s.channel_id, s.deferred_read, m.id, m.changed_channel
      FROM subscriptions s JOIN recipients r ON r.channel_id = s.channel_id
      CROSS JOIN LATERAL (
        SELECT m.id, m.changed_channel FROM messages m
        WHERE m.recipient_id = r.id AND m.id > s.deferred_after AND m.id <= ${lastMissed}
        ORDER BY m.id LIMIT $3) m
      WHERE s.user_id = $1 AND s.channel_id = ANY($2::int[]) AND s.deferred_after IS NOT NULL
    ), made AS (
      INSERT INTO user_messages (user_id, message_id, flags)
      SELECT $1, id, CASE WHEN deferred_read THEN ${flag.read} ELSE 0 END FROM missed WHERE NOT changed_channel
      ORDER BY id ON CONFLICT DO NOTHING
      RETURNING message_id
    ), unfinished AS (
      SELECT channel_id, max(id) AS last FROM missed GROUP BY channel_id HAVING count(*) = $3
    ), moved AS (
      UPDATE subscriptions s SET deferred_after = u.last,
        deferred_until = CASE WHEN u.last IS NOT NULL THEN s.deferred_until END,
        deferred_read = u.last IS NOT NULL AND s.deferred_read
      FROM unnest($2::int[]) AS c (id) LEFT JOIN unfinished u ON u.channel_id = c.id
      WHERE s.channel_id = c.id AND s.user_id = $1 AND s.deferred_after IS NOT NULL
    )
    SELECT (SELECT count(*)::int FROM made) AS copies, NOT EXISTS (SELECT FROM unfinished) AS "isDone"`,
});

/** The copies of a person that a run has made. */
export interface MadeCopies {
  readonly copies: number;
  /** Whether all copies exist now. */
  readonly isDone: boolean;
}

/**
 * Makes a person's deferred copies of channel messages, in transactions of {@link makeNextCopies}. Repeats a transaction
 * that did not get its locks in time.
 * @param mayContinue called before each transaction
 */
export async function makeDeferredCopies(
  db: Database,
  userId: number,
  mayContinue: () => boolean,
): Promise<MadeCopies> {
  let copies = 0;
  let channels = channelsAtOnce;
  for (let waits = 0; mayContinue();) {
    try {
      const lockMs = Math.min(maxLockMs, firstLockMs * 2 ** Math.max(0, waits + 1 - shortTries));
      const made = await db.transaction((tx) => makeNextCopies(tx, userId, { lockMs, channels }));
      copies += made.copies;
      waits = 0;
      if (made.isDone) return { copies, isDone: true };
    } catch (error) {
      if (!(error instanceof IntentBusy)) throw error;
      channels = Math.max(1, Math.floor(channels / 4));
      await pauseBeforeRetry(++waits);
    }
  }
  return { copies, isDone: false };
}

/**
 * Makes the next deferred copies of a person, at most {@link copiesAtOnce}: of one channel in which many messages were
 * missed, or else the last ones of many channels.
 *
 * The last ones are made with the audience locks of the channels held exclusively, so that no message is being sent to
 * them: each message either is committed and gets its copy here, or will be sent when the person is not away any more
 * (docs/decisions/083). It also waits for the transactions that have read the person's copies for an event.
 * @param limits.lockMs milliseconds for which to wait for all audience locks together
 * @param limits.channels maximum channels whose last copies are made; the default of both is for the job that goes on after a
 *   request did not get the locks
 * @throws IntentBusy when the locks are not free in time
 */
export async function makeNextCopies(
  tx: Tx,
  userId: number,
  { lockMs, channels } = { lockMs: maxLockMs, channels: channelsOfJob },
): Promise<MadeCopies> {
  const found = await tx.rows(nextChannels, [userId, channels]);
  if (found.length === 0) return { copies: 0, isDone: true };
  const large = found.find(({ hasMany }) => hasMany);
  if (large) return { copies: await makeSettled(tx, large.channelId, userId), isDone: false };
  const ids = found.map(({ channelId }) => channelId);
  const { copies, isDone } = await makeLast(tx, ids, userId, lockMs);
  return { copies, isDone: isDone && ids.length < channels };
}

/** Makes copies of one channel while messages are being sent to it. */
async function makeSettled(tx: Tx, channelId: number, userId: number): Promise<number> {
  const [range] = await lockRangesOf(tx, [channelId], userId);
  // Another request of the person has made them meanwhile.
  if (!range) return 0;
  const { recipientId, after, until, isRead } = range;
  const flags = isRead ? flag.read : 0;
  const last = until ?? Number.MAX_SAFE_INTEGER;
  const values = [userId, channelId, recipientId, after, last, flags, copiesAtOnce];
  const [made] = await tx.rows(makeSlice, values);
  return made?.copies ?? 0;
}

/**
 * Makes the last copies of channels. Sends all statements at once, because messages to the channels wait from the lock until
 * the COMMIT.
 */
async function makeLast(
  tx: Tx,
  channelIds: readonly number[],
  userId: number,
  lockMs: number,
): Promise<MadeCopies> {
  const perChannel = Math.ceil(copiesAtOnce / channelIds.length);
  const [, , [made]] = await lockSoon(tx, lockMs, "messages are being sent to the channels", () =>
    Promise.all([
      lockAudiencesSoon(tx, channelIds, lockMs),
      lockRangesOf(tx, channelIds, userId),
      tx.rows(makeLastCopies, [userId, channelIds, perChannel]),
    ]),
  );
  if (!made) throw new Error("the statement that makes deferred copies returned no row");
  return made;
}

async function lockRangesOf(
  tx: Tx,
  channelIds: readonly number[],
  userId: number,
): Promise<Array<RowOf<typeof lockRanges>>> {
  const channels = { name: "channels", keys: channelIds, shared: true } as const;
  const subscriptions = { name: "subscriptions", keys: channelIds } as const;
  const [, ranges] = await Promise.all([
    tx.lock(channels, lockChannelRowsShared, [channelIds]),
    tx.lock(subscriptions, lockRanges, [channelIds, userId]),
  ]);
  return ranges;
}

/** Maximum deferred copies that a move to another channel makes: about 5 s. */
const copiesOfMove = 300_000;

/**
 * SQL: the subscriptions to channel $1 with deferred copies that a move to channel $2 makes. Accounts that are not
 * subscribed to channel $2 lose their copies by the move.
 */
const keeping = `subscriptions s JOIN subscriptions t ON t.channel_id = $2 AND t.user_id = s.user_id AND t.active
    WHERE s.channel_id = $1 AND s.deferred_after IS NOT NULL`;

const countKeeping = statement({
  name: "deferred-copies-of-messages-count",
  text: `SELECT count(*)::int AS count FROM ${keeping}
    AND s.deferred_after < $4 AND coalesce(s.deferred_until, $3) >= $3`,
});

/** Inserts copies in the order of accounts, then of messages, as every statement that writes copies does. */
const makeOf = statement({
  name: "deferred-copies-of-messages",
  text: `INSERT INTO user_messages (user_id, message_id, flags)
    SELECT s.user_id, m.id, CASE WHEN s.deferred_read THEN ${flag.read} ELSE 0 END
    FROM (SELECT s.* FROM ${keeping}) s CROSS JOIN LATERAL (
      SELECT m.id FROM messages m WHERE m.id = ANY(ARRAY(SELECT unnest($3::bigint[])))
        AND m.id > s.deferred_after AND m.id <= coalesce(s.deferred_until, m.id) AND NOT m.changed_channel) m
    ORDER BY s.user_id, m.id ON CONFLICT DO NOTHING`,
});

/**
 * Makes the deferred copies of messages that will be moved to another channel, for the accounts that are subscribed to it.
 * The transaction must hold the locks of the rows of both channels.
 * @param ids ascending
 * @throws ApiError `BAD_REQUEST` if there may be more than `maximum`; one message can always be moved
 */
export async function makeCopiesOf(
  tx: Tx,
  { from, to }: { readonly from: number; readonly to: number },
  ids: readonly number[],
  maximum = copiesOfMove,
): Promise<void> {
  const [found] = await tx.rows(countKeeping, [from, to, ids[0], ids.at(-1)]);
  if (!found || found.count === 0) return;
  const most = Math.max(1, Math.floor(maximum / found.count));
  if (ids.length > most)
    throw errors.badRequest(
      `At most ${most} of these messages can be moved to the other channel at once, because ${found.count} of its subscribers are away: move the newer ones first, with propagate_mode change_later`,
    );
  await tx.rows(makeOf, [from, to, ids]);
}
