import { PostCommitTopic, column, type RowOf, type Sql, statement } from "@carillon/db";
import { tooSoonMs, type Alarm } from "@carillon/jobs";

import { needsSingleTry, mayShareBatch, pending } from "./pending.ts";

const columns = `id AS "scheduledMessageId", realm_id AS "realmId", version,
  extract(epoch FROM deliver_at)::float8 AS "deliverAt"`;

const unalarmed = statement({
  name: "unalarmed-rows",
  text: `SELECT ${columns} FROM scheduled_messages s
    WHERE alarmed_at IS NULL AND ${pending("s")}
      AND deliver_at <= now() + make_interval(secs => $1 / 1000.0)
      AND created_at <= now() - make_interval(secs => $2 / 1000.0)
    ORDER BY deliver_at LIMIT $3`,
  row: {
    scheduledMessageId: column.bigint,
    realmId: column.int,
    version: column.int,
    deliverAt: column.float,
  },
});

/**
 * Pending rows due within `horizonMs` that have no alarm in the queue, oldest first; `olderThanMs` leaves those out
 * whose own request is still about to set it.
 */
export function unalarmedRows(
  sql: Sql,
  limits: { horizonMs: number; olderThanMs: number; limit: number },
): Promise<Alarm[]> {
  return sql.rows(unalarmed, [limits.horizonMs, limits.olderThanMs, limits.limit]);
}

const stamp = statement({
  name: "stamp-alarms",
  text: `WITH free AS (
      SELECT s.id,
        a.shared AND s.deliver_at < clock_timestamp() + make_interval(secs => ${tooSoonMs} / 1000.0) AS "tooSoon"
      FROM unnest($1::bigint[], $2::int[], $3::bool[]) AS a (id, version, shared)
      JOIN scheduled_messages s ON s.id = a.id AND s.version = a.version
      WHERE s.alarmed_at IS NULL AND ${pending("s")}
      FOR NO KEY UPDATE OF s SKIP LOCKED
    ), stamped AS (
      UPDATE scheduled_messages s SET alarmed_at = now() FROM free WHERE s.id = free.id AND NOT free."tooSoon")
    SELECT id FROM free WHERE "tooSoon"`,
  row: { id: column.bigint },
});

/** Published after a commit that scheduled a message, or moved one in time. */
export const deliveryScheduled = new PostCommitTopic<Alarm>("delivery scheduled");

/** An alarm that has been added to the queue. */
export interface AddedAlarm {
  readonly alarm: Alarm;
  /** Whether its job is that of all alarms of its second. */
  readonly shared: boolean;
}

/**
 * Notes that the alarms are in the queue; a row that has been edited meanwhile keeps asking for its new one. It waits
 * for nobody: a row in other hands is being sent, edited or deleted, and waiting for several of them in another order
 * than a delivery takes them would end in a deadlock.
 * @returns the ids of rows that are not stamped because they share the job of their second, and are due so soon by the
 *   database's clock that this job may have run already: they need jobs of their own. The clock of the process that
 *   added them may be behind.
 */
export async function stampAlarms(sql: Sql, added: readonly AddedAlarm[]): Promise<Set<number>> {
  if (added.length === 0) return new Set();
  const tooSoon = await sql.rows(stamp, [
    added.map(({ alarm }) => alarm.scheduledMessageId),
    added.map(({ alarm }) => alarm.version),
    added.map(({ shared }) => shared),
  ]);
  return new Set(tooSoon.map(({ id }) => id));
}

const overdue = statement({
  name: "overdue-realms",
  text: `SELECT r.id AS "realmId", overdue.rows FROM realms r CROSS JOIN LATERAL (
      SELECT count(*)::int AS rows FROM (
        SELECT FROM scheduled_messages s
        WHERE s.realm_id = r.id AND ${pending("s")}
          AND s.deliver_at < now() - make_interval(secs => $1 / 1000.0)
          AND (${mayShareBatch("s")} OR ${needsSingleTry("s")})
        LIMIT 10000
      ) counted
    ) overdue WHERE overdue.rows > 0`,
  row: {
    realmId: column.int,
    /** How many rows are overdue; counted up to 10,000. */
    rows: column.int,
  },
});

/** An organization with messages that should have been sent. */
export type OverdueRealm = RowOf<typeof overdue.columns>;

/**
 * Organizations with pending rows that are overdue by more than `overdueMs`, those left out that wait for another try.
 * Each is looked at by itself, so that the
 * backlog of one does not hide the others.
 */
export function overdueRealms(sql: Sql, overdueMs: number): Promise<OverdueRealm[]> {
  return sql.rows(overdue, [overdueMs]);
}

const clock = statement({
  name: "database-clock-ms",
  text: "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now",
  row: { now: column.float },
});

/** The database's clock in UNIX milliseconds. */
export async function databaseNow(sql: Sql): Promise<number> {
  const [row] = await sql.rows(clock);
  return row!.now;
}
