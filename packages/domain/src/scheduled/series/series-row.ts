import type { Condition } from "@carillon/contract";
import { notNull, packed, type RowOf, type Sql, statement, type Tx, typed } from "@carillon/db";
import { pending } from "@carillon/scheduling";
import { recordSentElsewhere } from "./sent-elsewhere.ts";

export type SeriesState = "active" | "paused" | "ended";
export type PausedReason = "manual" | "failures" | "author_deactivated" | "rule";

/** Types of {@link columns} that PostgreSQL cannot describe. */
const overrides = {
  unless: typed<readonly Condition[]>(),
  state: typed<SeriesState>(),
  pausedReason: typed<PausedReason>(),
};

const columns = `m.id, m.realm_id AS "realmId", m.author_id AS "authorId", a.is_active AS "authorActive",
  m.recipient_id AS "recipientId", m.channel_id AS "channelId",
  CASE WHEN m.channel_id IS NULL THEN r.member_ids END AS "memberIds", m.topic, m.content,
  m.client_id AS "clientId", m.read_by_sender AS "readBySender", m.start, m.timezone, m.rrule,
  coalesce(m.excluded_dates, '{}') AS "excludedDates", m.template, m.unless, m.catch_up_seconds AS "catchUpSeconds",
  m.can_manage_group_id AS "canManageGroupId", m.state, m.paused_reason AS "pausedReason",
  to_char(m.last_occurrence, 'YYYY-MM-DD') AS "lastOccurrence", m.sent_count AS "sentCount",
  m.consecutive_failures AS "consecutiveFailures", m.managers_told AS "managersNotified", m.version`;

const tables = `message_series m JOIN recipients r ON r.id = m.recipient_id JOIN users a ON a.id = m.author_id`;

/** Shortest grace period, in seconds: a delivery takes up to 2 s, and 35 s after a crash. */
const minGracePeriod = 60;

/** Returns the grace period of a series: how many seconds late an occurrence may be sent. */
export function gracePeriodOf({ catchUpSeconds }: SeriesRow): number {
  return Math.max(catchUpSeconds, minGracePeriod);
}

/** SQL equivalent of {@link gracePeriodOf}. @param id SQL for the id of the series */
export const gracePeriodSql = (id: string) =>
  `coalesce((SELECT greatest(catch_up_seconds, ${minGracePeriod}) FROM message_series WHERE id = ${id}), ${minGracePeriod})`;

/** SQL: the row is the planned occurrence of a series. A partial unique index with this condition allows one per series. */
export const isPlanned = (scheduled: string) =>
  `${scheduled}.series_id IS NOT NULL AND NOT ${scheduled}.detached AND ${pending(scheduled)}`;

const lockRows = statement({
  name: "series-lock",
  text: `SELECT id FROM message_series WHERE id = ANY(ARRAY(SELECT unnest($1::int[]))) ORDER BY id FOR NO KEY UPDATE`,
});

const byIds = statement({
  name: "series-by-id",
  text: `SELECT ${columns} FROM ${tables} WHERE m.id = ANY(ARRAY(SELECT unnest($1::int[]))) ORDER BY m.id`,
  overrides,
});

/** Casts to `bigint`: the scheduling bot passes any number that a person writes. */
const ofRealm = statement({
  name: "series-of-realm-by-id",
  text: `SELECT ${columns} FROM ${tables} WHERE m.realm_id = $1 AND m.id = $2::bigint`,
  overrides,
});

/**
 * A row of `message_series`. Dates are `YYYY-MM-DD`.
 * - `authorActive`: the author's account is active.
 * - `memberIds`: members of the direct conversation, the author too; null for a channel.
 * - `topic`, `content`: with `template`, before they are expanded.
 * - `unless`: conditions of its occurrences; null for none.
 * - `lastOccurrence`: the cursor; only later dates are planned.
 * - `managersNotified`: the managers were notified that the notification bot sends its messages.
 */
export type SeriesRow = RowOf<typeof byIds>;

/** Locks series until the transaction ends, then reads them, by id. Leaves out deleted ones. */
export async function lockSeries(tx: Tx, ids: readonly number[]): Promise<Map<number, SeriesRow>> {
  const keys = [...new Set(ids)];
  await tx.lock({ name: "series", keys }, lockRows, [packed.ints(keys)]);
  return readSeries(tx, keys);
}

/** Reads series by their ids. */
export async function readSeries(
  sql: Sql,
  ids: readonly number[],
): Promise<Map<number, SeriesRow>> {
  const rows = await sql.rows(byIds, [packed.ints(ids)]);
  return new Map(rows.map((series) => [series.id, series]));
}

/** Finds a series of the organization. */
export async function findSeries(
  sql: Sql,
  realmId: number,
  id: number,
): Promise<SeriesRow | undefined> {
  return (await sql.rows(ofRealm, [realmId, id]))[0];
}

const planned = statement({
  name: "series-planned",
  text: `SELECT s.id, s.series_id AS "seriesId", s.sender_id AS "senderId",
      to_char(s.occurrence, 'YYYY-MM-DD') AS occurrence, extract(epoch FROM s.deliver_at)::float8 AS "deliverAt"
    FROM scheduled_messages s WHERE s.series_id = ANY(ARRAY(SELECT unnest($1::int[]))) AND ${isPlanned("s")}`,
  overrides: { seriesId: notNull, occurrence: notNull },
});

/** The scheduled message of the planned occurrence of a series; `deliverAt` in UNIX seconds. */
export type PlannedRow = RowOf<typeof planned>;

/** Reads the planned occurrences of series, by the id of the series. */
export async function readPlanned(
  sql: Sql,
  ids: readonly number[],
): Promise<Map<number, PlannedRow>> {
  const rows = await sql.rows(planned, [packed.ints(ids)]);
  return new Map(rows.map((row) => [row.seriesId, row]));
}

const lockPending = statement({
  name: "series-pending-lock",
  text: `SELECT s.id FROM scheduled_messages s WHERE s.series_id = $1 AND ${pending("s")} ORDER BY s.id FOR NO KEY UPDATE`,
});

class PlannedMeanwhile extends Error {}

/** A locked series and its locked planned occurrence, if it has one. Its detached pending rows are locked, too. */
export interface OpenSeries {
  readonly series: SeriesRow;
  readonly planned: PlannedRow | undefined;
}

/**
 * Locks the pending occurrences of a series, then the series, in the order of the delivery (once-and-again.md §3.4).
 * Repeats this if another transaction planned the next occurrence meanwhile. Each repetition means that another transaction
 * has committed, so every request gets the locks in the end. Where an active series has no planned occurrence, records
 * those that a worker of an older release has sent.
 * @returns undefined if the series was deleted
 */
export async function openSeries(tx: Tx, id: number): Promise<OpenSeries | undefined> {
  for (;;) {
    try {
      return await tx.savepoint(() => lockInOrder(tx, id));
    } catch (error) {
      if (!(error instanceof PlannedMeanwhile)) throw error;
    }
  }
}

/**
 * Locks the pending occurrences, then the series.
 * @throws PlannedMeanwhile if an occurrence was planned between the two locks: locking it now would break the lock
 *   order
 */
async function lockInOrder(tx: Tx, id: number): Promise<OpenSeries | undefined> {
  const held = await tx.lock({ name: "scheduled" }, lockPending, [id]);
  const series = (await lockSeries(tx, [id])).get(id);
  if (!series) return undefined;
  const now = (await readPlanned(tx, [id])).get(id);
  if (now && !held.some((row) => row.id === now.id))
    throw new PlannedMeanwhile("an occurrence was planned meanwhile");
  if (now || series.state !== "active") return { series, planned: now };
  return { series: await recordSentElsewhere(tx, series), planned: undefined };
}
