import { statement, type RowOf, type Sql } from "@carillon/db";
import { pending, scheduledKind, undelivered } from "@carillon/scheduling";
import { deliveryJobHorizonMs } from "@carillon/jobs";

/** True for rows that are not reminders. */
const isMessage = `kind = ${scheduledKind.sendLater}`;

/** Failed = undelivered minus pending, because both have an index and failed rows have none. All counts are index-only. */
const counts = statement({
  name: "dashboard-counts",
  // `pendingWithin`: Pending scheduled messages due within the horizon of queued delivery jobs.
  // `failed`: Scheduled messages.
  // `bouncerAway`: 1 while the circuit breaker of the push bouncer is open, else 0.
  text: `SELECT p.within AS "pendingWithin", p.later AS "pendingAfter",
      greatest(0, u.messages - p.within - p.later) AS failed,
      p.reminders AS "remindersPending", greatest(0, u.reminders - p.reminders) AS "remindersFailed",
      series.active AS "seriesActive", series.paused AS "seriesPaused", series.ended AS "seriesEnded",
      (SELECT count(*) FROM job_intent WHERE state = 'pending') AS "intentsPending",
      (SELECT count(*) FROM job_intent WHERE state = 'dead') AS "deadLetters",
      (SELECT count(*) FROM bouncer_circuit WHERE no_calls_until IS NOT NULL) AS "bouncerAway"
    FROM (SELECT count(*) FILTER (WHERE ${isMessage} AND deliver_at <= horizon) AS within,
        count(*) FILTER (WHERE ${isMessage} AND deliver_at > horizon) AS later,
        count(*) FILTER (WHERE NOT ${isMessage}) AS reminders
      FROM scheduled_messages s, (SELECT now() + make_interval(secs => ${deliveryJobHorizonMs / 1_000}) AS horizon) h
      WHERE ${pending("s")}) p,
      (SELECT count(*) FILTER (WHERE ${isMessage}) AS messages, count(*) FILTER (WHERE NOT ${isMessage}) AS reminders
      FROM scheduled_messages s WHERE ${undelivered("s")}) u,
      (SELECT count(*) FILTER (WHERE state = 'active') AS active, count(*) FILTER (WHERE state = 'paused') AS paused,
        count(*) FILTER (WHERE state = 'ended') AS ended FROM message_series) series`,
});

/** Numbers of rows by kind. Counting takes time linear in them. */
export type Counts = RowOf<typeof counts>;

export async function readCounts(sql: Sql): Promise<Counts> {
  const rows = await sql.rows(counts);
  return rows[0]!;
}
