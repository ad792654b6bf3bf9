import { type Sql, statement } from "@carillon/db";
import { deliveryJobHorizonMs } from "@carillon/jobs";
import { systemClock, type Clock } from "@carillon/kit";

import { pending } from "../delivery/pending.ts";

/**
 * How far work is behind. The work of deactivated organizations does not count, because it is meant to wait. Every number
 * comes from the heads of partial indexes.
 */
export interface Lag {
  /** How long the oldest due message has been waiting, in seconds; 0 when none is due. */
  readonly dueLag: number;
  /** Messages and reminders that have been due for more than a second, counted up to one more than {@link maxOverdue}. */
  readonly overdue: number;
  /** How long the oldest row has been waiting for its job to be enqueued, in seconds; 0 when none waits. */
  readonly outboxOldest: number;
  /** How far, at least, the database's clock is ahead of this process's, in seconds; negative when behind. */
  readonly clockSkew: number;
}

/** Overdue rows are counted up to one more than this. */
export const maxOverdue = 10_000;

/** Rows read to find the oldest one. */
const rowsRead = 1_000;

/**
 * An edited row does not record since when its delivery job is missing, so its wait counts from its due time. The wait
 * of a replayed intent counts from its replay, which sets `run_at`.
 */
const oldest = statement({
  name: "operator-lag",
  text: `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
    coalesce((
      SELECT extract(epoch FROM now() - min(first.deliver_at)) FROM realms r CROSS JOIN LATERAL (
        SELECT s.deliver_at FROM scheduled_messages s WHERE s.realm_id = r.id AND ${pending("s")}
        ORDER BY s.deliver_at LIMIT 1) first
      WHERE NOT r.deactivated), 0)::float8 AS due,
    (SELECT count(*)::int FROM (
      SELECT FROM realms r CROSS JOIN LATERAL (
        SELECT FROM scheduled_messages s
        WHERE s.realm_id = r.id AND ${pending("s")} AND s.deliver_at < now() - interval '1 second'
        LIMIT ${maxOverdue + 1}) late
      WHERE NOT r.deactivated LIMIT ${maxOverdue + 1}) late) AS overdue,
    coalesce((
      SELECT extract(epoch FROM now() - min(since)) FROM (
        SELECT CASE WHEN version = 1
            THEN greatest(created_at, deliver_at - make_interval(secs => ${deliveryJobHorizonMs / 1_000}))
            ELSE deliver_at END AS since
        FROM scheduled_messages s
        WHERE alarmed_at IS NULL AND ${pending("s")}
          AND deliver_at <= now() + make_interval(secs => ${deliveryJobHorizonMs / 1_000})
        ORDER BY deliver_at LIMIT ${rowsRead}) without_job), 0)::float8 AS "withoutJob",
    coalesce((
      SELECT extract(epoch FROM now() - min(greatest(created_at, run_at))) FROM (
        SELECT created_at, run_at FROM job_intent
        WHERE state = 'pending' AND enqueued_at IS NULL AND run_at <= now()
        ORDER BY created_at LIMIT ${rowsRead}) unqueued), 0)::float8 AS unqueued`,
});

/**
 * Reads the lag figures.
 * @param clock the clock of this machine, which is compared with the database's
 */
export async function readLag(sql: Sql, clock: Clock = systemClock): Promise<Lag> {
  const before = clock.now();
  const rows = await sql.rows(oldest);
  const after = clock.now();
  const { now, due, overdue, withoutJob, unqueued } = rows[0]!;
  // The database read its clock at some time between our two readings.
  const skewMs = now > after ? now - after : Math.min(0, now - before);
  return {
    dueLag: Math.max(0, due),
    overdue,
    outboxOldest: Math.max(0, withoutJob, unqueued),
    // This machine's clock has a resolution of 1 ms.
    clockSkew: Math.abs(skewMs) <= 1 ? 0 : skewMs / 1_000,
  };
}
