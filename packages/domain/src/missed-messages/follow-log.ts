import { type Database, type RowOf, statement, type Tx } from "@carillon/db";
import { maxMissed, missedMessages } from "@carillon/jobs";
import { flag, flagNames, switchSql, visibilityPolicy } from "@carillon/model";
import { leads } from "@carillon/scheduling";

import { batchingPeriod } from "../settings/batching-period.ts";
import { delivers, maxPostponed } from "./beside-deliveries.ts";

/*
 * Sending a message records nothing for mails. A job reads the event log afterwards, and finds the accounts that may miss
 * the message. Event numbers follow the order of commits, so each message is handled once, however it was sent
 * (docs/decisions/060).
 */

/**
 * Selects organizations with events after their place, which is the number of the last handled event. Leaves out an
 * organization that is delivering due messages, unless its first unhandled event is {@link maxPostponed} seconds old.
 */
const withNews = statement({
  name: "missed-logs-with-news",
  text: `SELECT h.realm_id AS "realmId", h.seq AS head, coalesce(p.seq, 0) AS place
    FROM event_head h LEFT JOIN missed_mail_places p ON p.realm_id = h.realm_id
    WHERE h.seq > coalesce(p.seq, 0) AND NOT (${delivers("h.realm_id")}
      AND coalesce((SELECT e.created_at FROM event_log e WHERE e.realm_id = h.realm_id AND e.seq > coalesce(p.seq, 0)
        ORDER BY e.seq LIMIT 1) > now() - interval '${maxPostponed} seconds', false))
    ORDER BY h.realm_id`,
});

/** Maximum receivers of one transaction's messages, unless its first message alone has more. */
const maxReceivers = 20_000;

/**
 * Selects the end of the next chunk: of the next $3 events, the first ones whose messages have at most
 * {@link maxReceivers} receivers together. Counts in the database, so that the worker reads no row for each event.
 */
const nextChunk = statement({
  name: "missed-log-chunk",
  text: `SELECT count(*)::int AS read, count(*) FILTER (WHERE fits)::int AS taken,
      max(seq) FILTER (WHERE fits) AS "upTo", coalesce(bool_or("isMessage") FILTER (WHERE fits), false) AS "hasMessages"
    FROM (
      SELECT seq, "isMessage", total <= ${maxReceivers} OR total = receivers AS fits FROM (
        SELECT seq, "isMessage", receivers, sum(receivers) OVER (ORDER BY seq) AS total FROM (
          SELECT seq, type = 'message' AS "isMessage",
            CASE WHEN type = 'message' THEN coalesce(cardinality(audience), 0) ELSE 0 END AS receivers
          FROM event_log WHERE realm_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) e) counted) chunk`,
});

/** Events that one transaction handles. */
interface Chunk {
  /** The number of the last event before them. */
  readonly after: number;
  readonly upTo: number;
  readonly hasMessages: boolean;
}

/**
 * Handles the next events of each organization: records the messages that an account may have missed, for a mail about
 * them.
 * @param size maximum events of each organization
 * @returns whether an organization may have more events
 * @throws AggregateError after the others are done, if the events of some organizations could not be handled
 */
export async function followLogs(
  db: Database,
  size: number,
  signal: AbortSignal,
): Promise<"more" | "done"> {
  let more = false;
  const failures: unknown[] = [];
  for (const news of await db.rows(withNews)) {
    if (signal.aborted) break;
    try {
      const outcome = await followLog(db, news, size);
      if (outcome === "elsewhere") {
        more = false;
        break;
      }
      more ||= outcome === "more";
    } catch (error) {
      failures.push(
        new Error(`the log of organization ${news.realmId} could not be followed`, {
          cause: error,
        }),
      );
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} logs could not be followed`);
  return more ? "more" : "done";
}

/** Handles up to `size` events of one organization; "elsewhere" if another process handles the logs. */
async function followLog(
  db: Database,
  { realmId, head, place }: RowOf<typeof withNews>,
  size: number,
): Promise<"more" | "done" | "elsewhere"> {
  let after = place;
  let left = size;
  while (left > 0) {
    const [chunk] = await db.rows(nextChunk, [realmId, after, left]);
    if (!chunk) break;
    const isLast = chunk.taken === chunk.read && chunk.read < left;
    // Without events after the place, because they have been cleared from the log, the chunk ends at the head.
    const upTo = isLast ? Math.max(head, chunk.upTo ?? 0) : (chunk.upTo ?? after);
    const { hasMessages } = chunk;
    const nextEvents = { after, upTo, hasMessages };
    const handled = await db.transaction((tx) => handleChunk(tx, realmId, nextEvents));
    if (!handled) return "elsewhere";
    if (isLast) return "done";
    after = upTo;
    left -= chunk.taken;
  }
  return "more";
}

/** Moves the place to $3, unless another process has moved it from $2, so that no event is handled twice. */
const movePlace = statement({
  name: "missed-place-move",
  text: `INSERT INTO missed_mail_places AS p (realm_id, seq) SELECT id, $3 FROM realms WHERE id = $1
    ON CONFLICT (realm_id) DO UPDATE SET seq = excluded.seq WHERE p.seq = $2 RETURNING p.seq`,
});

/**
 * Records the messages of a chunk, and moves the place behind it.
 * @returns false if another process handles the logs, or has moved the place
 */
async function handleChunk(
  tx: Tx,
  realmId: number,
  { after, upTo, hasMessages }: Chunk,
): Promise<boolean> {
  if (!(await leads(tx, missedMessages))) return false;
  const moved = await tx.rows(movePlace, [realmId, after, upTo]);
  if (moved.length === 0) return false;
  if (hasMessages)
    await tx.lock({ name: "missedMails", fresh: true }, recordMissed, [realmId, after, upTo]);
  return true;
}

const mentionFlags = flagNames(flag.mentioned | flag.topicWildcardMentioned)
  .filter((name) => name !== "wildcard_mentioned")
  .map((name) => `'${name}'`)
  .join(", ");
const [everybodyFlag] = flagNames(flag.streamWildcardMentioned);

/** SQL: cuts an array to its last elements. */
const newest = (array: string) =>
  `(${array})[greatest(1, cardinality(${array}) - ${maxMissed - 1}):]`;

/**
 * Records messages for accounts that may have to be mailed about them: members of conversations, mentioned accounts,
 * followers of topics, and accounts that want mails about the channel. The exact decision is made with the mail
 * (`missed-facts.ts`); this leaves out only accounts whose settings exclude it. Finds them once for each channel and
 * topic, not for each message. Skips messages of the welcome bot, whose receivers have just joined. `OFFSET 0` forces an
 * index for each lookup, as in `push-candidates`.
 */
const recordMissed = statement({
  name: "missed-messages-note",
  text: `WITH sent AS MATERIALIZED (
      SELECT e.created_at, e.audience, e.user_data, m.*,
        (e.payload->'flags')::jsonb ? '${everybodyFlag}' AS everybody
      FROM event_log e CROSS JOIN LATERAL (
        SELECT m.id, m.sender_id, m.is_channel, lower(m.topic) AS topic, r.channel_id
        FROM messages m JOIN recipients r ON r.id = m.recipient_id
        WHERE m.id = (e.payload->'message'->>'id')::bigint AND m.realm_id = $1 OFFSET 0) m
      WHERE e.realm_id = $1 AND e.seq > $2 AND e.seq <= $3 AND e.type = 'message'
        AND NOT EXISTS (SELECT FROM users b WHERE b.id = m.sender_id AND b.system_bot_kind = 'welcome')
    ), followers AS MATERIALIZED (
      SELECT c.channel_id, c.topic, array_agg(t.user_id) AS ids
      FROM (SELECT DISTINCT channel_id, topic FROM sent WHERE is_channel) c JOIN LATERAL (
        SELECT t.user_id FROM user_topics t WHERE t.channel_id = c.channel_id AND lower(t.topic) = c.topic
          AND t.visibility_policy = ${visibilityPolicy.followed} OFFSET 0) t ON true
      GROUP BY c.channel_id, c.topic
    ), every_channel AS MATERIALIZED (
      SELECT u.id FROM users u
      WHERE u.realm_id = $1 AND (u.settings->>'enable_stream_email_notifications')::boolean
    ), channels AS MATERIALIZED (
      SELECT DISTINCT channel_id FROM sent WHERE is_channel
    ), subscribers AS MATERIALIZED (
      SELECT sub.channel_id, array_agg(sub.user_id) AS ids FROM (
        SELECT c.channel_id, sub.user_id FROM channels c CROSS JOIN LATERAL (
          SELECT s.user_id FROM subscriptions s
          WHERE s.channel_id = c.channel_id AND s.active AND s.email_notifications OFFSET 0) sub
        UNION ALL SELECT c.channel_id, u.id FROM channels c CROSS JOIN LATERAL (
          SELECT s.user_id FROM subscriptions s
          WHERE (SELECT EXISTS (SELECT FROM every_channel))
            AND s.channel_id = c.channel_id AND s.active AND s.is_user_active AND s.email_notifications IS NULL OFFSET 0) sub
          JOIN every_channel u ON u.id = sub.user_id) sub
      GROUP BY sub.channel_id
    ), concerned AS MATERIALIZED (
      SELECT s.id, s.created_at, c.user_id, c.cause FROM sent s
      LEFT JOIN followers f ON s.is_channel AND f.channel_id = s.channel_id AND f.topic = s.topic
      LEFT JOIN subscribers b ON s.is_channel AND b.channel_id = s.channel_id
      CROSS JOIN LATERAL (
        SELECT unnest(s.audience) AS user_id, 'personal' AS cause WHERE NOT s.is_channel OR s.everybody
        UNION ALL SELECT own.key::int, 'personal' FROM jsonb_each(s.user_data) own
          WHERE own.value->'flags' ?| ARRAY[${mentionFlags}]
        UNION ALL SELECT unnest(f.ids), 'followed'
        UNION ALL SELECT unnest(b.ids), 'channel'
        OFFSET 0) c
      WHERE c.user_id <> s.sender_id AND EXISTS (SELECT FROM user_messages um
        WHERE um.user_id = c.user_id AND um.message_id = s.id AND um.flags & ${flag.read} = 0 OFFSET 0)
    ), people AS MATERIALIZED (
      SELECT p.user_id, u.* FROM (SELECT DISTINCT user_id FROM concerned) p CROSS JOIN LATERAL (
        SELECT ${switchSql("enable_offline_email_notifications")} AS personal,
          ${switchSql("enable_followed_topic_email_notifications")} AS followed,
          make_interval(secs => ${batchingPeriod("u")}) AS period
        FROM users u WHERE u.id = p.user_id AND u.realm_id = $1 AND u.is_active AND NOT u.is_bot OFFSET 0) u
    ), missed AS (
      SELECT c.user_id, array_agg(DISTINCT c.id ORDER BY c.id) AS ids, min(c.created_at) AS since, p.period
      FROM concerned c JOIN people p ON p.user_id = c.user_id
      WHERE CASE c.cause WHEN 'personal' THEN p.personal WHEN 'followed' THEN p.followed ELSE true END
      GROUP BY c.user_id, p.period
    )
    INSERT INTO missed_mails AS d (user_id, realm_id, message_ids, more, since, due_at)
    SELECT user_id, $1, ${newest("ids")}, greatest(0, cardinality(ids) - ${maxMissed}), since, since + period
    FROM missed ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE SET message_ids = ${newest("d.message_ids || excluded.message_ids")},
      more = d.more + excluded.more
        + greatest(0, cardinality(d.message_ids) + cardinality(excluded.message_ids) - ${maxMissed}),
      since = coalesce(d.since, excluded.since), due_at = coalesce(d.due_at, excluded.due_at)`,
});
