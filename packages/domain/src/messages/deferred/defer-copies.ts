import { type Database, statement, type Tx } from "@carillon/db";
import { deferCopies } from "@carillon/jobs";
import { counted } from "@carillon/kit";
import { activeRealms, lockAudiences } from "@carillon/model";
import {
  dayToDo,
  inEachOrganization,
  leads,
  noteDay,
  runsOlderProcess,
} from "@carillon/scheduling";

import { makeDeferredCopies } from "./make-copies.ts";

/** Maximum subscriptions that one step examines: it holds the channel's audience lock while it defers them. */
const subscriptionsAtOnce = 500;

/**
 * SQL: whether the person `u` has been away for $1 days. A person with an event queue is not away. Nor is a person with
 * scheduled messages, because delivering a message reads the copies of its sender; this includes failed messages, which an
 * operator may schedule again. Bots are never away.
 */
const isIdle = `NOT u.is_bot AND u.is_active
      AND coalesce((SELECT v.visited_at FROM account_visits v WHERE v.user_id = u.id), u.date_joined)
        < now() - make_interval(days => $1)
      AND NOT EXISTS (SELECT FROM event_queue q WHERE q.user_id = u.id)
      AND NOT EXISTS (SELECT FROM scheduled_messages d WHERE d.sender_id = u.id AND NOT d.delivered)
      AND NOT EXISTS (SELECT FROM message_series d WHERE d.author_id = u.id)`;

/** SQL: whether the person `u` wants a push notification or a mail for each message of the subscription `s`. */
const wantsEach = `coalesce(s.push_notifications, (u.settings->>'enable_stream_push_notifications')::boolean, false)
      OR coalesce(s.email_notifications, (u.settings->>'enable_stream_email_notifications')::boolean, false)`;

const candidates = statement({
  name: "people-to-defer",
  text: `SELECT count(*)::int AS "lookedAt", coalesce(max(s.user_id), 0) AS last,
      coalesce(array_agg(s.user_id ORDER BY s.user_id) FILTER (WHERE s.deferred_after IS NULL AND ${isIdle}
        AND NOT (${wantsEach})), '{}') AS "userIds"
    FROM (
      SELECT * FROM subscriptions s WHERE s.channel_id = $2 AND s.user_id > $3 AND s.active AND s.is_user_active
      ORDER BY s.user_id LIMIT $4
    ) s JOIN users u ON u.id = s.user_id`,
});

/** Adds a row for people who have never sent a request, so that their first request waits for this transaction. */
const addVisits = statement({
  name: "visits-add",
  text: `INSERT INTO account_visits (user_id, visited_at) SELECT u.id, u.date_joined FROM users u
    WHERE u.id = ANY($1::int[]) ORDER BY u.id ON CONFLICT DO NOTHING`,
});

const lockVisits = statement({
  name: "visits-lock",
  text: `SELECT user_id AS id FROM account_visits
    WHERE user_id = ANY($1::int[]) AND visited_at < now() - make_interval(days => $2) ORDER BY user_id FOR NO KEY UPDATE`,
});

/**
 * Locks people against an administrator who turns on their notifications: {@link defer} then sees the change, or the
 * administrator's request waits until the copies are deferred.
 */
const lockPeople = statement({
  name: "people-to-defer-lock-shared",
  text: "SELECT FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR SHARE",
});

/**
 * Defers the copies of all later messages. No message is being sent while the audience lock is held, so later messages have
 * higher ids than the sequence has given out. An administrator may have turned on a person's notifications meanwhile.
 */
const defer = statement({
  name: "copies-defer",
  text: `UPDATE subscriptions s
    SET deferred_after = (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM messages_id_seq) FROM users u
    WHERE s.channel_id = $1 AND s.user_id = ANY($2::int[]) AND s.active AND s.is_user_active AND s.deferred_after IS NULL
      AND u.id = s.user_id AND NOT (${wantsEach})`,
});

const channels = statement({
  name: "channels-to-defer",
  text: `SELECT id FROM channels WHERE realm_id = $1 AND NOT is_archived AND is_recently_active ORDER BY id`,
});

/** What a run of the task needs. */
interface Deferring {
  readonly db: Database;
  readonly signal: AbortSignal;
  /** Days without a request after which a person is away; 0 for never. */
  readonly days: number;
}

/**
 * Defers the copies of people who are away, once a day in each organization: from then on, messages to channels write no
 * copies for them, except copies with flags (docs/decisions/083). If `days` is 0, makes all deferred copies instead.
 * Defers nothing while a process of an earlier release runs, because such a process would answer requests without making
 * the copies.
 * @throws AggregateError for the organizations that failed, after the others are done
 * @returns the number of subscriptions whose copies are deferred now and were not before
 */
export async function deferCopiesOfAbsent(deferring: Deferring): Promise<number> {
  const { db, signal, days } = deferring;
  if (days === 0) {
    await makeAll(deferring);
    return 0;
  }
  return inEachOrganization(await db.rows(activeRealms), signal, async (id) => {
    if (await runsOlderProcess(db, "deferredCopies")) return 0;
    const day = await db.transaction(async (tx) =>
      (await leads(tx, deferCopies, id)) ? dayToDo(tx, deferCopies, id) : undefined,
    );
    if (day === undefined) return 0;
    const deferred = await deferOrganization(deferring, id);
    if (!signal.aborted)
      await db.transaction(async (tx) => {
        if (await leads(tx, deferCopies, id)) await noteDay(tx, deferCopies, id, day);
      });
    return deferred;
  });
}

/**
 * Defers the copies of people who are away, in one organization.
 * @returns the number of subscriptions whose copies are deferred now and were not before
 */
export async function deferOrganization(
  { db, signal, days }: Deferring,
  realmId: number,
): Promise<number> {
  let deferred = 0;
  for (const { id } of await db.rows(channels, [realmId]))
    for (let after = 0, isOver = false; !isOver && !signal.aborted;) {
      const [found] = await db.rows(candidates, [days, id, after, subscriptionsAtOnce]);
      if (!found) throw new Error("the statement that finds people who are away returned no row");
      const { userIds, last, lookedAt } = found;
      if (userIds.length > 0)
        deferred += await db.transaction((tx) => deferIn(tx, id, userIds, days));
      after = last;
      isOver = lookedAt < subscriptionsAtOnce;
    }
  return deferred;
}

/**
 * Defers the copies of people in one channel. Locks their visits: a person who comes back at this moment is either left out
 * here, or waits and finds that copies are deferred.
 */
async function deferIn(
  tx: Tx,
  channelId: number,
  userIds: readonly number[],
  days: number,
): Promise<number> {
  await tx.lock({ name: "accounts", keys: userIds, shared: true }, lockPeople, [userIds]);
  await lockAudiences(tx, [channelId]);
  await tx.rows(addVisits, [userIds]);
  const away = await tx.lock({ name: "visits" }, lockVisits, [userIds, days]);
  return tx.count(defer, [channelId, away.map(({ id }) => id)]);
}

const people = statement({
  name: "people-with-deferred-copies",
  text: `SELECT DISTINCT user_id AS id FROM subscriptions WHERE deferred_after IS NOT NULL ORDER BY 1`,
});

/**
 * Makes all deferred copies of all organizations.
 * @throws AggregateError if it failed for some people, after all others have their copies
 */
async function makeAll({ db, signal }: Deferring): Promise<void> {
  const errors: unknown[] = [];
  const failed: number[] = [];
  for (const { id } of await db.rows(people)) {
    if (signal.aborted) return;
    try {
      await makeDeferredCopies(db, id, () => !signal.aborted);
    } catch (error) {
      errors.push(error);
      failed.push(id);
    }
  }
  if (errors.length > 0)
    throw new AggregateError(
      errors,
      `the deferred copies of ${counted(failed.length, "person", "people")} were not made, first of account ${failed[0]}: ${String(errors[0])}`,
    );
}
