import { PostCommitTopic, type RowOf, type Sql, statement } from "@carillon/db";
import { tooSoonMs, type PendingDelivery } from "@carillon/jobs";
import { forgetIntentJobs } from "@carillon/outbox";

import { mayShareBatch, needsSingleTry, pending } from "./pending.ts";

// The column `alarmed_at` says when a row's delivery job was added to the queue; null while the job has to be added.

/** Published after a commit that scheduled a message, or changed when it is due. */
export const deliveryScheduled = new PostCommitTopic<PendingDelivery>("delivery scheduled");

const withoutJob = statement({
  name: "deliveries-without-job",
  text: `SELECT id AS "scheduledMessageId", realm_id AS "realmId", version,
      extract(epoch FROM deliver_at)::float8 AS "deliverAt" FROM scheduled_messages s
    WHERE alarmed_at IS NULL AND ${pending("s")}
      AND deliver_at <= now() + make_interval(secs => $1 / 1000.0)
      AND created_at <= now() - make_interval(secs => $2 / 1000.0)
    ORDER BY deliver_at LIMIT $3`,
});

/**
 * Reads pending rows due within `horizonMs` that have no delivery job in the queue, earliest due first. Leaves out rows
 * younger than `olderThanMs`, because the process that wrote them is about to add their jobs.
 */
export function deliveriesWithoutJob(
  sql: Sql,
  limits: { horizonMs: number; olderThanMs: number; limit: number },
): Promise<PendingDelivery[]> {
  return sql.rows(withoutJob, [limits.horizonMs, limits.olderThanMs, limits.limit]);
}

const stamp = statement({
  name: "stamp-delivery-jobs",
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
});

/** A row whose delivery job has been added to the queue. */
export interface AddedDeliveryJob {
  readonly delivery: PendingDelivery;
  /** Whether the job is shared by all messages due in its second. */
  readonly shared: boolean;
}

/**
 * Marks rows as having their delivery job in the queue, except rows that were edited since, which need a new job.
 * Locked rows are skipped: they are being sent, edited or deleted, and waiting for them in another order than a delivery
 * could deadlock.
 * @returns ids of rows that were not marked: they share the job of their second and are due so soon, by the database's
 *   clock, that this job may have run already. They need jobs of their own. The clock of the process that added the
 *   jobs may be behind.
 */
export async function stampDeliveryJobs(
  sql: Sql,
  added: readonly AddedDeliveryJob[],
): Promise<Set<number>> {
  if (added.length === 0) return new Set();
  const tooSoon = await sql.rows(stamp, [
    added.map(({ delivery }) => delivery.scheduledMessageId),
    added.map(({ delivery }) => delivery.version),
    added.map(({ shared }) => shared),
  ]);
  return new Set(tooSoon.map(({ id }) => id));
}

const forget = statement({
  name: "forget-delivery-jobs",
  text: `UPDATE scheduled_messages s SET alarmed_at = NULL WHERE ${pending("s")} AND alarmed_at IS NOT NULL`,
});

/** Marks all pending rows and intents as having no job, so that the relay adds their jobs to queues that are new or empty. */
export async function forgetJobs(sql: Sql): Promise<void> {
  await sql.rows(forget);
  await forgetIntentJobs(sql);
}

const overdue = statement({
  name: "overdue-realms",
  // `rows` is the number of overdue rows, counted up to 10,000.
  text: `SELECT r.id AS "realmId", overdue.rows FROM realms r CROSS JOIN LATERAL (
      SELECT count(*)::int AS rows FROM (
        SELECT FROM scheduled_messages s
        WHERE s.realm_id = r.id AND ${pending("s")}
          AND s.deliver_at < now() - make_interval(secs => $1 / 1000.0)
          AND (${mayShareBatch("s")} OR ${needsSingleTry("s")})
        LIMIT 10000
      ) counted
    ) overdue WHERE overdue.rows > 0 AND NOT r.deactivated`,
});

/** An organization with messages that should have been sent. */
export type OverdueRealm = RowOf<typeof overdue>;

/**
 * Reads the active organizations with pending rows that are overdue by more than `overdueMs`, except rows that wait for another
 * try. Counts each organization separately, so that the backlog of one does not hide the others.
 */
export function overdueRealms(sql: Sql, overdueMs: number): Promise<OverdueRealm[]> {
  return sql.rows(overdue, [overdueMs]);
}

const clock = statement({
  name: "database-clock-ms",
  text: "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now",
});

/** Reads the database's clock, in UNIX milliseconds. */
export async function databaseNow(sql: Sql): Promise<number> {
  const [row] = await sql.rows(clock);
  return row!.now;
}
