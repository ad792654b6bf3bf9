import { notNull, type RowOf, statement, type Tx, typed } from "@carillon/db";
import { emit, lockEventLog } from "@carillon/events";
import { markRead, type MarkReadIntent } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";
import { type Account, flag } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { type PushedMessages, recordPushRemovals } from "../../notifications/record-removals.ts";
import { readEvents } from "./change-flag.ts";

/** Maximum accounts of one job. */
const readersAtOnce = 1_000;
/** Unread messages that one step examines, over all its accounts: about 0.1 s. */
const lookedAtInStep = 10_000;

const lastMessage = statement({
  name: "last-message-id",
  text: "SELECT last_value AS id FROM messages_id_seq",
});

/**
 * Records jobs that mark the accounts' unread messages of the channels as read (channels.md §11). The caller must hold
 * the channels' audience locks: then messages sent later have higher ids.
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
 * Runs one step of marking messages read, for accounts that have left their channel or have asked for it, and emits the
 * events. Records the remainder as the next step. A repeated step marks nothing again and emits no event.
 * @param intentId id of this step's job intent, from which the next one's key is made
 */
export async function runMarkReadStep(
  tx: Tx,
  realmId: number,
  intentId: number,
  payload: MarkReadIntent,
): Promise<void> {
  const { readers, toldUntil: logPosition, ...which } = payload;
  const each = Math.ceil(lookedAtInStep / readers.length);
  const steps = await takeMarkStep(tx, realmId, { ...which, logPosition, readers, each });
  const left = steps.flatMap(({ userId, last, lookedAt }) =>
    lookedAt === each ? [{ userId, after: last }] : [],
  );
  if (left.length > 0)
    await recordIntents(tx, realmId, markRead, [
      { key: `after-${intentId}`, payload: { ...payload, readers: left } },
    ]);
  const read = steps.flatMap(({ userId, marked }) => (marked ? [{ userId, ids: marked }] : []));
  await recordPushRemovals(tx, realmId, pushedMessagesOf(steps));
  emit(tx, realmId, readEvents(read));
}

/** What an account wants marked as read, limited to messages that were committed when it asked. */
export interface ToMark {
  readonly channelId?: number;
  /** A topic of the channel, see {@link topicDigest}. */
  readonly topicDigest?: string;
  /** The last message id assigned at the time of the request. */
  readonly upTo: number;
  /**
   * Position in the organization's event log at the time of the request: a message with a lower id may be committed
   * after it.
   */
  readonly logPosition: number;
}

const unread = statement({
  name: "unread-exists",
  text: `SELECT EXISTS (
    SELECT FROM user_messages WHERE user_id = $1 AND flags & ${flag.read} = 0) AS any`,
});

/**
 * Number of log entries after `logPosition` that are searched for messages with lower ids. Later entries have none, unless
 * a transaction took an id and stayed open while so many others committed.
 */
const logEntriesSearched = 100_000;

/**
 * Scans `user_messages_unread_idx` from the end of the previous step, so that read messages cost nothing. Copies are
 * locked by account, then by message, as in every other statement. LATERAL forces a key lookup for each copy:
 * PostgreSQL underestimates the number of rows so much that it would choose a nested loop over all pairs.
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
      WHERE e.realm_id = $7 AND e.seq > $8 AND e.seq <= $8 + ${logEntriesSearched} AND e.type = 'message'
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
  overrides: {
    userId: notNull,
    /** The last unread message that the step examined. */
    last: notNull,
    /** The messages that the step marked read, ascending. */
    marked: typed<readonly number[]>(),
    /** The marked messages that were on the account's devices. */
    pushed: typed<readonly number[]>(),
  },
});

const bounds = statement({
  name: "mark-read-bounds",
  text: `SELECT coalesce((SELECT seq FROM event_head WHERE realm_id = $1), 0) AS "logPosition",
    last_value AS "upTo" FROM messages_id_seq`,
});

/** Returns the current message id and log position, which limit what is marked. */
export async function currentBounds(
  tx: Tx,
  realmId: number,
): Promise<Pick<ToMark, "upTo" | "logPosition">> {
  const row = await tx.first(bounds, [realmId]);
  if (!row) throw new Error("mark-read bounds query returned no row");
  return row;
}

/**
 * Records a job for the remainder of what an account wants marked as read.
 * @param after the last message that has been examined
 */
export async function recordRest(
  tx: Tx,
  { id: userId, realmId }: Pick<Account, "id" | "realmId">,
  { logPosition, ...which }: ToMark,
  after: number,
): Promise<void> {
  const payload = { ...which, toldUntil: logPosition, readers: [{ userId, after }] };
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

/** The unread messages that one step examines. */
interface MarkStep {
  /** undefined for all channels and conversations. */
  readonly channelId?: number | undefined;
  /** undefined for all topics; otherwise a {@link topicDigest}. */
  readonly topicDigest?: string | undefined;
  /** Maximum message id. */
  readonly upTo: number;
  /**
   * Excludes messages whose event comes after this log position, whatever their ids: ids are assigned before the
   * commit, so a message with a lower id may commit later.
   */
  readonly logPosition?: number | undefined;
  /** Accounts, each with the last unread message examined so far. */
  readonly readers: ReadonlyArray<{ readonly userId: number; readonly after: number }>;
  /** Maximum unread messages to examine for each account. */
  readonly each: number;
}

/** Marks the messages of a step read. @returns a row for each account that had unread messages to examine */
export function takeMarkStep(
  tx: Tx,
  realmId: number,
  step: MarkStep,
): Promise<Array<RowOf<typeof mark>>> {
  return tx.lock({ name: "copies", fresh: true }, mark, [
    step.readers.map(({ userId }) => userId),
    step.readers.map(({ after }) => after),
    step.upTo,
    step.each,
    step.channelId ?? null,
    step.topicDigest ?? null,
    realmId,
    step.logPosition ?? null,
  ]);
}

/** Returns the messages that a step has marked read and that were on devices. */
export function pushedMessagesOf(steps: ReadonlyArray<RowOf<typeof mark>>): PushedMessages[] {
  return steps.flatMap(({ userId, pushed }) => (pushed ? [{ userId, ids: pushed }] : []));
}

const digest = statement({
  name: "topic-digest",
  text: "SELECT md5(lower($1::text)) AS digest",
  overrides: { digest: notNull },
});

/** Returns a digest of a topic, ignoring case, for payloads that must not contain text. */
export async function topicDigest(tx: Tx, topic: string): Promise<string> {
  const row = await tx.first(digest, [topic]);
  if (!row) throw new Error("digest query returned no row");
  return row.digest;
}

/**
 * Whether the account has read every message whose event precedes this transaction's. If true, the transaction holds
 * the event-log lock: it must commit at once, because the organization's other events wait for it.
 */
export async function nothingUnread(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
): Promise<boolean> {
  // Query once before taking the lock: this skips the index entries of copies that were read meanwhile and marks them dead,
  // so that the query under the lock is fast.
  if ((await tx.first(unread, [id]))?.any) return false;
  await lockEventLog(tx, realmId);
  return !(await tx.first(unread, [id]))?.any;
}
