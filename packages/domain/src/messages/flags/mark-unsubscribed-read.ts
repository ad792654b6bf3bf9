import { flag } from "@carillon/model";
import { column, recordIntents, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { markRead, type MarkReadIntent } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";

import { readEvents } from "./read-events.ts";

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
 * Goes along `user_messages_unread_idx`, from where the step before ended, and never looks at what has been read. Copies
 * are locked in the order of their accounts, and of one account by message, as everywhere.
 */
const mark = statement({
  name: "mark-unsubscribed-read",
  text: `WITH unread AS MATERIALIZED (
      SELECT r.user_id, um.message_id
      FROM unnest($1::int[], $2::bigint[]) AS r (user_id, after) CROSS JOIN LATERAL (
        SELECT message_id FROM user_messages um
        WHERE um.user_id = r.user_id AND um.flags & ${flag.read} = 0
          AND um.message_id > r.after AND um.message_id <= $3
        ORDER BY um.message_id LIMIT $4) um
    ), held AS MATERIALIZED (
      SELECT um.user_id, um.message_id FROM unread JOIN messages m ON m.id = unread.message_id
      JOIN user_messages um ON um.user_id = unread.user_id AND um.message_id = unread.message_id
      WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $5)
      ORDER BY um.user_id, um.message_id FOR NO KEY UPDATE OF um
    ), marked AS (
      UPDATE user_messages um SET flags = um.flags | ${flag.read} FROM held
      WHERE um.user_id = held.user_id AND um.message_id = held.message_id AND um.flags & ${flag.read} = 0
      RETURNING um.user_id, um.message_id
    )
    SELECT unread.user_id AS "userId", max(unread.message_id) AS last, count(*)::int AS "lookedAt",
      json_agg(marked.message_id ORDER BY marked.message_id) FILTER (WHERE marked.message_id IS NOT NULL) AS marked
    FROM unread LEFT JOIN marked USING (user_id, message_id) GROUP BY unread.user_id`,
  row: {
    userId: column.int,
    /** The last unread message that was looked at. */
    last: column.bigint,
    lookedAt: column.int,
    /** Those of them that are marked read by now, and were not. */
    marked: column.json<readonly number[]>().orNull(),
  },
});

/**
 * One step of marking the messages of a channel read for those who have left it, with its events; what is left to do
 * is written down as the next one. A step that runs again marks nothing anew, and tells nobody.
 * @param intentId the step's, which names the next one
 */
export async function markUnsubscribedRead(
  tx: Tx,
  realmId: number,
  intentId: number,
  { channelId, upTo, readers }: MarkReadIntent,
): Promise<void> {
  const each = Math.ceil(lookedAtInStep / readers.length);
  const steps = await tx.lock({ name: "copies", fresh: true }, mark, [
    readers.map(({ userId }) => userId),
    readers.map(({ after }) => after),
    upTo,
    each,
    channelId,
  ]);
  const left = steps.flatMap(({ userId, last, lookedAt }) =>
    lookedAt === each ? [{ userId, after: last }] : [],
  );
  if (left.length > 0)
    await recordIntents(tx, realmId, markRead, [
      { key: `after-${intentId}`, payload: { channelId, upTo, readers: left } },
    ]);
  const read = steps.flatMap(({ userId, marked }) => (marked ? [{ userId, ids: marked }] : []));
  emit(tx, realmId, readEvents(read));
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
