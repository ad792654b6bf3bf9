import { flag } from "@carillon/model";
import { column, statement, type RowOf, type Tx } from "@carillon/db";

import type { Pushed } from "../../notifications/record-removals.ts";

/** Which unread messages are looked for, in one step, and whose. */
export interface MarkStep {
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
export interface ToldUntil {
  readonly realmId: number;
  readonly seq: number;
}

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
