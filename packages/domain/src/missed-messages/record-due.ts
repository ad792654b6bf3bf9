import { type Database, notNull, statement, type Tx, typed } from "@carillon/db";
import { mailMissedMessages, missedMessages } from "@carillon/jobs";
import { flag } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";
import { leads } from "@carillon/scheduling";

import { isPresent, presentFor } from "../notifications/candidates.ts";
import { batchingPeriod } from "../settings/batching-period.ts";
import { delivers, maxPostponed } from "./beside-deliveries.ts";

/** SQL: the key of an account's mail. @param number counts the mails of the account */
const keySql = (userId: string, number: string) => `'missed-' || ${userId} || '-' || ${number}`;

/** Minimum seconds until an account is checked again while its last mail is still pending. */
const pauseWhilePending = 60;

/**
 * Takes accounts whose batching period is over; while their organization delivers due messages, only accounts whose period
 * has been over for {@link maxPostponed} seconds. Decides for each:
 * - It has read everything: no mail.
 * - It is present, or its last mail is still pending: check it again later.
 * - Its last mail failed for good less than a day ago: check it again when the day is over. A wrong address makes one dead
 *   job a day.
 * - Otherwise, mail the messages that it has not read.
 *
 * `FOR NO KEY UPDATE` in `held`: a change of the batching period waits, or has already moved `due_at` into the future.
 */
const take = statement({
  name: "missed-mails-take",
  text: `WITH due AS MATERIALIZED (
      SELECT d.user_id FROM realms r CROSS JOIN LATERAL (
        SELECT m.user_id FROM missed_mails m WHERE m.realm_id = r.id AND m.due_at <= (
          SELECT CASE WHEN ${delivers("r.id")} THEN now() - interval '${maxPostponed} seconds' ELSE now() END)
        ORDER BY m.due_at LIMIT $1 OFFSET 0) d
      WHERE NOT r.deactivated LIMIT $1
    ), held AS MATERIALIZED (
      SELECT m.* FROM missed_mails m WHERE m.user_id = ANY(ARRAY(SELECT user_id FROM due)) AND m.due_at <= now()
      ORDER BY m.user_id FOR NO KEY UPDATE
    ), facts AS MATERIALIZED (
      SELECT h.user_id, h.realm_id, h.more, h.planned, ${isPresent("h.user_id")} AS present,
        (SELECT make_interval(secs => ${batchingPeriod("u")}) FROM users u WHERE u.id = h.user_id) AS period,
        (SELECT CASE i.state WHEN 'pending' THEN now() + interval '${pauseWhilePending} seconds'
            WHEN 'dead' THEN i.finished_at + interval '1 day' END
          FROM job_intent i
          WHERE i.unique_key = '${mailMissedMessages.name}/' || ${keySql("h.user_id", "h.planned")}) AS blocked_until,
        ARRAY(SELECT um.message_id FROM user_messages um WHERE um.user_id = h.user_id
          AND um.message_id = ANY(h.message_ids) AND um.flags & ${flag.read} = 0 ORDER BY um.message_id) AS unread
      FROM held h
    ), judged AS MATERIALIZED (
      SELECT f.*, CASE WHEN unread = '{}' THEN NULL
          WHEN blocked_until > now() THEN greatest(blocked_until, now() + least(period, interval '1 hour'))
          WHEN present THEN now() + greatest(period, interval '${presentFor} seconds') END AS again_at
      FROM facts f
    ), stored AS (
      UPDATE missed_mails d SET due_at = j.again_at,
        message_ids = CASE WHEN j.again_at IS NULL THEN '{}' ELSE j.unread END,
        more = CASE WHEN j.again_at IS NULL THEN 0 ELSE d.more END,
        since = CASE WHEN j.again_at IS NULL THEN NULL ELSE d.since END,
        planned = d.planned + (j.again_at IS NULL AND j.unread <> '{}')::int
      FROM judged j WHERE d.user_id = j.user_id
    )
    SELECT user_id AS "userId", realm_id AS "realmId", more, to_json(unread) AS "messageIds",
      ${keySql("user_id", "(planned + 1)")} AS key, again_at IS NULL AND unread <> '{}' AS "isDue"
    FROM judged ORDER BY realm_id, user_id`,
  overrides: {
    key: notNull,
    isDue: notNull,
    messageIds: typed<readonly number[]>().notNull,
  },
});

/**
 * Records the mails whose batching period is over. The rows change in the same transaction, so that no mail is recorded
 * twice.
 * @param size maximum accounts
 * @returns whether there may be more
 */
export function recordDueMails(db: Database, size: number): Promise<"more" | "done"> {
  return db.transaction((tx) => recordOnce(tx, size));
}

async function recordOnce(tx: Tx, size: number): Promise<"more" | "done"> {
  if (!(await leads(tx, missedMessages))) return "done";
  const taken = await tx.lock({ name: "missedMails", fresh: true }, take, [size]);
  const due = taken.filter(({ isDue }) => isDue);
  for (const realmId of new Set(due.map((row) => row.realmId)))
    await recordIntents(
      tx,
      realmId,
      mailMissedMessages,
      due
        .filter((row) => row.realmId === realmId)
        .map(({ key, userId, messageIds, more }) => ({
          key,
          payload: { userId, messageIds: [...messageIds], more },
        })),
    );
  return taken.length === size ? "more" : "done";
}
