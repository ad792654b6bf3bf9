import { column, type Sql, statement } from "@carillon/db";
import { alarmHorizonMs } from "@carillon/jobs";
import { systemClock, type Clock } from "@carillon/kit";

import { pending } from "../delivery/pending.ts";

/** Whether anything stands still. Every number comes from the head of a partial index. */
export interface Lag {
  /** How long the oldest due message has been waiting, in seconds; 0 when none is due. */
  readonly dueLag: number;
  /** Messages and reminders that have been due for more than a second, counted up to one more than {@link mostOverdue}. */
  readonly overdue: number;
  /** How long the oldest row has been waiting to get into a queue, in seconds; 0 when none is. */
  readonly outboxOldest: number;
  /** How far the database's clock is at least ahead of this process's, in seconds; below 0: behind. */
  readonly clockSkew: number;
}

/** More overdue rows are not counted. */
export const mostOverdue = 10_000;

/** Rows looked at for the oldest one. */
const looked = 1_000;

/**
 * A scheduled message that was edited does not tell since when it lacks its alarm: it counts from when it is due.
 * An intent that was replayed counts from then, for replaying moves its `run_at`.
 */
const oldest = statement({
  name: "operator-lag",
  text: `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
    coalesce((
      SELECT extract(epoch FROM now() - deliver_at) FROM scheduled_messages s
      WHERE ${pending("s")} ORDER BY deliver_at LIMIT 1), 0)::float8 AS due,
    (SELECT count(*)::int FROM (
      SELECT FROM scheduled_messages s WHERE ${pending("s")} AND deliver_at < now() - interval '1 second'
      LIMIT ${mostOverdue + 1}) late) AS overdue,
    coalesce((
      SELECT extract(epoch FROM now() - min(since)) FROM (
        SELECT CASE WHEN version = 1
            THEN greatest(created_at, deliver_at - make_interval(secs => ${alarmHorizonMs / 1_000}))
            ELSE deliver_at END AS since
        FROM scheduled_messages s
        WHERE alarmed_at IS NULL AND ${pending("s")}
          AND deliver_at <= now() + make_interval(secs => ${alarmHorizonMs / 1_000})
        ORDER BY deliver_at LIMIT ${looked}) unalarmed), 0)::float8 AS unalarmed,
    coalesce((
      SELECT extract(epoch FROM now() - min(greatest(created_at, run_at))) FROM (
        SELECT created_at, run_at FROM job_intent
        WHERE state = 'pending' AND enqueued_at IS NULL AND run_at <= now()
        ORDER BY created_at LIMIT ${looked}) unqueued), 0)::float8 AS unqueued`,
  row: {
    now: column.float,
    due: column.float,
    overdue: column.int,
    unalarmed: column.float,
    unqueued: column.float,
  },
});

/** @param clock this machine's */
export async function readLag(sql: Sql, clock: Clock = systemClock): Promise<Lag> {
  const before = clock.now();
  const rows = await sql.rows(oldest);
  const after = clock.now();
  const { now, due, overdue, unalarmed, unqueued } = rows[0]!;
  // The database looked at its clock between our two looks at ours, nobody knows when.
  const apart = now > after ? now - after : Math.min(0, now - before);
  return {
    dueLag: Math.max(0, due),
    overdue,
    outboxOldest: Math.max(0, unalarmed, unqueued),
    // Ours counts whole milliseconds, and is right to one.
    clockSkew: Math.abs(apart) <= 1 ? 0 : apart / 1_000,
  };
}
