import { readCounters, batchTries } from "@carillon/scheduling";
import { type Database } from "@carillon/db";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

/** The final state of an organization's scheduled messages and reminders. */
export interface Verdict {
  readonly pending: number;
  readonly failed: number;
  readonly sent: number;
  /** Scheduled messages that were sent more than once. */
  readonly twice: number;
  /** Marked as delivered without their message, or with another one. */
  readonly unmatched: number;
  /** Sent with another text, topic, sender or conversation; for a reminder, another note. */
  readonly altered: number;
  /** Sent messages whose receivers do not each have one copy. */
  readonly copies: number;
  /** Sent messages without exactly one `message` event and one `remove` event of their kind. */
  readonly events: number;
  /**
   * Sent messages with a lower id than one that was due before them. Rows tried three times are excluded: each is
   * sent singly, after the others (scheduled-messages.md §5).
   */
  readonly disordered: number;
  /** Sent before their due time. */
  readonly early: number;
}

/** Reads the final state in one statement, so in one snapshot. */
export async function verdict(db: Database, realmId: number): Promise<Verdict> {
  // Without statistics the planner would use nested loops over thousands of rows, for minutes.
  await db.rows("ANALYZE messages, scheduled_messages, user_messages, event_log, recipients");
  const [found] = await db.rows<Verdict>(
    `WITH scheduled AS (SELECT * FROM scheduled_messages WHERE realm_id = $1),
     sent AS (
       SELECT m.*, s.id AS sid, s.deliver_at, s.sender_id AS by, s.recipient_id AS target, s.topic AS about,
         s.content AS text, s.delivered_message_id, s.delivered, s.kind,
         s.reminder_note AS note, s.attempts
       FROM messages m JOIN scheduled s ON s.id = m.scheduled_message_id
     ),
     receivers AS (
       SELECT r.id AS recipient_id, x.user_id FROM recipients r CROSS JOIN LATERAL unnest(r.member_ids) AS x (user_id)
       WHERE r.realm_id = $1 AND r.channel_id IS NULL
       UNION ALL
       SELECT r.id, x.user_id FROM recipients r JOIN subscriptions x ON x.channel_id = r.channel_id AND x.active
       WHERE r.realm_id = $1
     ),
     expected AS (
       SELECT s.id, array_agg(r.user_id ORDER BY r.user_id) AS users
       FROM sent s JOIN receivers r ON r.recipient_id = s.recipient_id GROUP BY s.id
     ),
     copies AS (
       SELECT s.id, array_agg(c.user_id ORDER BY c.user_id) AS users
       FROM sent s JOIN user_messages c ON c.message_id = s.id GROUP BY s.id
     ),
     message_events AS (
       SELECT (payload #>> '{message,id}')::bigint AS id, count(*) AS n FROM event_log
       WHERE realm_id = $1 AND type = 'message' GROUP BY 1
     ),
     remove_events AS (
       SELECT coalesce(payload ->> 'scheduled_message_id', payload ->> 'reminder_id')::bigint AS id,
         CASE type WHEN 'reminders' THEN 2 ELSE 1 END AS kind, count(*) AS n FROM event_log
       WHERE realm_id = $1 AND type IN ('scheduled_messages', 'reminders') AND op = 'remove' GROUP BY 1, 2
     ),
     reminding AS (
       SELECT r.id AS recipient_id, bot.id AS bot_id, x.user_id FROM users bot
       JOIN recipients r ON r.realm_id = $1 AND bot.id = ANY(r.member_ids) AND cardinality(r.member_ids) = 2
       CROSS JOIN LATERAL unnest(r.member_ids) AS x (user_id)
       WHERE bot.realm_id = $1 AND bot.system_bot_kind = 'notification' AND x.user_id <> bot.id
     ),
     neighbours AS (
       SELECT (deliver_at, sid) < (lag(deliver_at) OVER w, lag(sid) OVER w) AS disordered
       FROM sent WHERE attempts < ${batchTries} WINDOW w AS (ORDER BY id)
     )
     SELECT
       (SELECT count(*) FROM scheduled WHERE NOT delivered AND NOT failed) AS pending,
       (SELECT count(*) FROM scheduled WHERE failed) AS failed,
       (SELECT count(*) FROM sent) AS sent,
       (SELECT count(*) - count(DISTINCT sid) FROM sent) AS twice,
       (SELECT count(*) FROM scheduled s LEFT JOIN sent ON sent.sid = s.id
         WHERE s.delivered_message_id IS DISTINCT FROM sent.id OR s.delivered <> (sent.id IS NOT NULL)) AS unmatched,
       (SELECT count(*) FROM sent LEFT JOIN reminding ON sent.kind = 2 AND reminding.user_id = sent.by
         WHERE CASE kind WHEN 2 THEN (sender_id, sent.recipient_id) IS DISTINCT FROM (reminding.bot_id, reminding.recipient_id)
             OR content NOT LIKE '%> ' || note || '\n%soup 1%'
           ELSE (sender_id, sent.recipient_id, content) IS DISTINCT FROM (by, target, text) OR is_channel AND topic <> about
           END) AS altered,
       (SELECT count(*) FROM sent LEFT JOIN expected e USING (id) LEFT JOIN copies c USING (id)
         WHERE e.users IS DISTINCT FROM c.users) AS copies,
       (SELECT count(*) FROM sent LEFT JOIN message_events e USING (id) LEFT JOIN remove_events r ON r.id = sent.sid AND r.kind = sent.kind
         WHERE (e.n, r.n) IS DISTINCT FROM (1::bigint, 1::bigint)) AS events,
       (SELECT count(*) FROM neighbours WHERE disordered) AS disordered,
       (SELECT count(*) FROM sent WHERE sent_at < deliver_at) AS early`,
    [realmId],
  );
  if (!found) throw new Error("no verdict");
  return found;
}

/** Checks that every message of the organization was sent once, complete, in order and not early. */
export async function expectSentOnce(db: Database, realmId: number, count: number): Promise<void> {
  const found = await verdict(db, realmId);
  expect(found, JSON.stringify(found)).to.deep.equal({
    pending: 0,
    failed: 0,
    sent: count,
    twice: 0,
    unmatched: 0,
    altered: 0,
    copies: 0,
    events: 0,
    disordered: 0,
    early: 0,
  } satisfies Verdict);
}

/** Returns how many messages of the organization are still pending. */
export async function pending(db: Database, realmId: number): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    "SELECT count(*) AS n FROM scheduled_messages WHERE realm_id = $1 AND NOT delivered AND NOT failed",
    [realmId],
  );
  return row?.n ?? 0;
}

/** Waits until no message of the organization is pending. */
export async function allSent(db: Database, realmId: number, timeoutMs: number): Promise<void> {
  await waitFor(async () => (await pending(db, realmId)) === 0, {
    what: "everything is sent",
    timeoutMs,
    everyMs: 100,
  });
}

/** Waits until the sweep has counted its repairs, which it does after the repair. */
export async function repairsCounted(db: Database): Promise<void> {
  const repairs = async () => (await readCounters(db)).get("sweep_repairs");
  await waitFor(repairs, { what: "repairs are counted" });
}
