import { column, type RowOf, statement, type Tx } from "@carillon/db";
import { emit, holdHead } from "@carillon/events";
import { markRead, type MarkReadIntent } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";
import { type Account, flag } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { type Pushed, recordPushRemovals } from "../../notifications/record-removals.ts";
import { readEvents } from "./change-flag.ts";

/** So many people are in the hands of one job. */
const readersAtOnce = 1_000;
/** So many unread messages one step looks at, of all of them together: about 0.1 s. */
const lookedAtInStep = 10_000;

const lastMessage = statement({
  name: "last-message-id",
  text: "SELECT last_value AS id FROM messages_id_seq",
  row: { id: column.bigint },
});

/**
 * Writes down that what the accounts have not read of the channels is to be marked read (channels.md §11). The channels'
 * audiences must be locked: then what is sent to them later has a higher id.
 */
export async function recordMarkRead(
  tx: Tx,
  realmId: number,
  unsubscribed: ReadonlyArray<{ readonly channelId: number; readonly userId: number }>,
): Promise<void> {
  if (unsubscribed.length === 0) return;
  const last = await tx.first(lastMessage);
  const byChannel = grouped(unsubscribed, ({ channelId }) => channelId);
  const request = uniqueId();
  const intents = [...byChannel].flatMap(([channelId, pairs]) => {
    const starts = pairs.flatMap((_, i) => (i % readersAtOnce === 0 ? [i] : []));
    return starts.map((start) => ({
      key: `${request}-${channelId}-${start}`,
      payload: {
        channelId,
        upTo: last?.id ?? 0,
        readers: pairs
          .slice(start, start + readersAtOnce)
          .map(({ userId }) => ({ userId, after: 0 })),
      },
    }));
  });
  await recordIntents(tx, realmId, markRead, intents);
}

/**
 * One step of marking messages read for those who have left their channel, or have asked for it, with its events; what is
 * left to do is written down as the next one. A step that runs again marks nothing anew, and tells nobody.
 * @param intentId the step's, which names the next one
 */
export async function markReadLater(
  tx: Tx,
  realmId: number,
  intentId: number,
  payload: MarkReadIntent,
): Promise<void> {
  const { readers, toldUntil: seq, ...which } = payload;
  const each = Math.ceil(lookedAtInStep / readers.length);
  const toldUntil = seq === undefined ? undefined : { realmId, seq };
  const steps = await takeMarkStep(tx, { ...which, toldUntil, readers, each });
  const left = steps.flatMap(({ userId, last, lookedAt }) =>
    lookedAt === each ? [{ userId, after: last }] : [],
  );
  if (left.length > 0)
    await recordIntents(tx, realmId, markRead, [
      { key: `after-${intentId}`, payload: { ...payload, readers: left } },
    ]);
  const read = steps.flatMap(({ userId, marked }) => (marked ? [{ userId, ids: marked }] : []));
  await recordPushRemovals(tx, realmId, pushedIn(steps));
  emit(tx, realmId, readEvents(read));
}

/** What an account wants marked as read: of what had been committed when it asked. */
export interface ToMark {
  readonly channelId?: number;
  /** Of the channel, see {@link topicDigest}. */
  readonly topicDigest?: string;
  /** The last id that had been given to a message. */
  readonly upTo: number;
  /** The place in the log of the organization: messages with lower ids may be told, and committed, behind it. */
  readonly toldUntil: number;
}

const unread = statement({
  name: "unread-exists",
  text: `SELECT EXISTS (
    SELECT FROM user_messages WHERE user_id = $1 AND flags & ${flag.read} = 0) AS any`,
  row: { any: column.bool },
});

/**
 * Further behind in the log no message is looked for that has a low id: its transaction would have gone on while so many
 * others committed.
 */
const latestTold = 100_000;

const stepRow = {
  userId: column.int,
  /** The last unread message that was looked at. */
  last: column.bigint,
  lookedAt: column.int,
  /** Those of them that are marked read by now, and were not; ascending. */
  marked: column.json<readonly number[]>().orNull(),
  /** Those of these that were on the account's devices. */
  pushed: column.json<readonly number[]>().orNull(),
};

/**
 * Goes along `user_messages_unread_idx`, from where the step before ended, and never looks at what has been read. Copies
 * are locked in the order of their accounts, and of one account by message, as everywhere, each looked up by its key:
 * what PostgreSQL expects of a step is so little that it would compare each with each.
 */
export const mark = statement({
  name: "mark-read-step",
  text: `WITH unread AS MATERIALIZED (
      SELECT r.user_id, um.message_id
      FROM unnest($1::int[], $2::bigint[]) AS r (user_id, after) CROSS JOIN LATERAL (
        SELECT message_id FROM user_messages um
        WHERE um.user_id = r.user_id AND um.flags & ${flag.read} = 0
          AND um.message_id > r.after AND um.message_id <= $3
        ORDER BY um.message_id LIMIT $4) um
    ), late AS MATERIALIZED (
      SELECT (e.payload->'message'->>'id')::bigint AS message_id FROM event_log e
      WHERE e.realm_id = $7 AND e.seq > $8 AND e.seq <= $8 + ${latestTold} AND e.type = 'message'
    ), wanted AS MATERIALIZED (
      SELECT unread.user_id, unread.message_id FROM unread CROSS JOIN LATERAL (
        SELECT FROM messages m WHERE m.id = unread.message_id
          AND ($5::int IS NULL OR m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $5))
          AND ($6::text IS NULL OR md5(lower(m.topic)) = $6) OFFSET 0) m
      WHERE unread.message_id NOT IN (SELECT message_id FROM late WHERE message_id IS NOT NULL)
      ORDER BY unread.user_id, unread.message_id
    ), held AS MATERIALIZED (
      SELECT um.user_id, um.message_id, um.flags FROM wanted CROSS JOIN LATERAL (
        SELECT um.user_id, um.message_id, um.flags FROM user_messages um
        WHERE um.user_id = wanted.user_id AND um.message_id = wanted.message_id FOR NO KEY UPDATE) um
    ), marked AS (
      UPDATE user_messages um SET flags = um.flags & ~${flag.activeMobilePush} | ${flag.read} FROM held
      WHERE um.user_id = held.user_id AND um.message_id = held.message_id AND um.flags & ${flag.read} = 0
      RETURNING um.user_id, um.message_id, held.flags & ${flag.activeMobilePush} <> 0 AS pushed
    )
    SELECT u.user_id AS "userId", u.last, u.looked_at AS "lookedAt", m.marked, m.pushed
    FROM (SELECT user_id, max(message_id) AS last, count(*)::int AS looked_at FROM unread GROUP BY user_id) u
    LEFT JOIN (SELECT user_id, json_agg(message_id ORDER BY message_id) AS marked,
        json_agg(message_id ORDER BY message_id) FILTER (WHERE pushed) AS pushed FROM marked GROUP BY user_id) m
      USING (user_id)`,
  row: stepRow,
});

const present = statement({
  name: "mark-read-bounds",
  text: `SELECT coalesce((SELECT seq FROM event_head WHERE realm_id = $1), 0) AS "toldUntil",
    last_value AS "upTo" FROM messages_id_seq`,
  row: { toldUntil: column.bigint, upTo: column.bigint },
});

/** The bounds of what has been committed by now. */
export async function presentBounds(
  tx: Tx,
  realmId: number,
): Promise<Pick<ToMark, "upTo" | "toldUntil">> {
  const bounds = await tx.first(present, [realmId]);
  if (!bounds) throw new Error("PostgreSQL has no sequence of messages");
  return bounds;
}

/**
 * Writes down the rest of what an account wants marked as read.
 * @param after how far it has been done
 */
export async function recordRest(
  tx: Tx,
  { id: userId, realmId }: Pick<Account, "id" | "realmId">,
  toMark: ToMark,
  after: number,
): Promise<void> {
  const payload = { ...toMark, readers: [{ userId, after }] };
  await recordIntents(tx, realmId, markRead, [{ key: uniqueId(), payload }]);
}

function grouped<T, K>(values: readonly T[], key: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}

/** Which unread messages are looked for, in one step, and whose. */
interface MarkStep {
  /** Of all channels and conversations unless given. */
  readonly channelId?: number | undefined;
  /** Only of the topic with this {@link topicDigest}. */
  readonly topicDigest?: string | undefined;
  /** No messages with a higher id. */
  readonly upTo: number;
  /**
   * No messages that were told after this place in the log of the organization, whatever their ids: ids are given before
   * the commit, so that one with a lower id may come later.
   */
  readonly toldUntil?: ToldUntil | undefined;
  /** How far the unread messages of each account have been looked through. */
  readonly readers: ReadonlyArray<{ readonly userId: number; readonly after: number }>;
  /** So many unread messages of each account are looked at. */
  readonly each: number;
}

/** A place in the log of events: the messages that were told until there are those that had been committed. */
interface ToldUntil {
  readonly realmId: number;
  readonly seq: number;
}

/** Marks what is found read. @returns a row for each account that had something unread to look at */
export function takeMarkStep(tx: Tx, step: MarkStep): Promise<Array<RowOf<typeof stepRow>>> {
  return tx.lock({ name: "copies", fresh: true }, mark, [
    step.readers.map(({ userId }) => userId),
    step.readers.map(({ after }) => after),
    step.upTo,
    step.each,
    step.channelId ?? null,
    step.topicDigest ?? null,
    step.toldUntil?.realmId ?? null,
    step.toldUntil?.seq ?? null,
  ]);
}

/** What has been marked read by a step, and was on devices. */
export function pushedIn(steps: ReadonlyArray<RowOf<typeof stepRow>>): Pushed[] {
  return steps.flatMap(({ userId, pushed }) => (pushed ? [{ userId, ids: pushed }] : []));
}

const digest = statement({
  name: "topic-digest",
  text: "SELECT md5(lower($1::text)) AS digest",
  row: { digest: column.text.neverNullHere() },
});

/** What stands for a topic, in whatever case, where no text may stand. */
export async function topicDigest(tx: Tx, topic: string): Promise<string> {
  const row = await tx.first(digest, [topic]);
  if (!row) throw new Error("PostgreSQL made no digest");
  return row.digest;
}

/**
 * Whether the account has read everything that was told before this transaction's events, and nobody can change that
 * before it commits. It must commit at once where this is so: others of the organization wait with their events.
 */
export async function nothingUnread(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
): Promise<boolean> {
  // Entries of the index whose copies have been read since are walked over, and marked as dead, before anybody waits.
  if ((await tx.first(unread, [id]))?.any) return false;
  await holdHead(tx, realmId);
  return !(await tx.first(unread, [id]))?.any;
}
