import {
  lockClass,
  lockKey,
  notNull,
  packed,
  statement,
  type RowOf,
  type Sql,
  type Tx,
} from "@carillon/db";
import { maxTopicLength, resolvedPrefix } from "@carillon/model";
import {
  needsSingleTry,
  mayShareBatch,
  pending,
  scheduledKind,
  batchTries,
} from "@carillon/scheduling";

import { scheduledColumns, scheduledOverrides, scheduledTables } from "./row.ts";
import { lockSeries, gracePeriodSql, type SeriesRow } from "./series/series-row.ts";

/** Bytes of text that must be parsed to send the row; for a reminder, with the current text of its message. */
const bytes = `octet_length(s.content) + CASE WHEN s.reminder_target_message_id IS NULL THEN 0 ELSE coalesce(
    (SELECT octet_length(m.content) FROM messages m WHERE m.id = s.reminder_target_message_id), 0) END`;

/** Characters that a long topic and its resolved form have in common. */
const sharedCharacters = maxTopicLength - resolvedPrefix.length - "...".length;

/**
 * A due row, with the facts that can make it fail without further checks, and the facts that its conditions need.
 * - `conversation`: the recipient and the topic in lower case, without the prefix of resolved topics; empty unless one of
 *   the rows has conditions, because this takes PostgreSQL 3 µs a row.
 * - `scheduledAt`: when it was scheduled, UNIX seconds; null for a row without conditions.
 * - `messagesBefore`: the newest message id at that time; null for rows of an earlier release.
 * - `checkedInBy`: the accounts that have checked in; null if there are none.
 * - `attempts`: counted tries so far, the current one included.
 * - `bytes`: bytes of text that must be parsed to send it.
 * - `bySystemBot`: the sender is a system bot.
 * - `tooLate`: more than ten minutes late; for a reminder, more than seven days; for an occurrence, more than the grace
 *   period of its series.
 * - `dueBeforeReactivation`: late by more than a minute, and due before the organization was reactivated.
 * - `sentBefore`: its message exists, or its series has sent the occurrence. The holder of the row's lock is the only one
 *   to send it, so this cannot change meanwhile.
 */
export type DueRow = RowOf<typeof claimed> & {
  /** The locked series of a claimed occurrence. */
  readonly series?: SeriesRow | undefined;
};

/** Whether the row is a reminder, not a scheduled message. */
export function isReminder({ kind }: Pick<DueRow, "kind">): boolean {
  return kind === scheduledKind.reminder;
}

/** Seconds between two tries of a row that is tried singly: other rows are sent meanwhile. */
const singlePause = 15;

/**
 * For this many seconds after a counted try no other try of the row is counted, so that the first can take the delivery
 * lock.
 */
const tryLease = 5;

/** Milliseconds that a claim waits for an edit or a delete that holds a row. */
const lockTimeoutMs = 2_000;

/**
 * Maximum milliseconds of one statement. A statement of a full batch takes 150 ms on an idle machine. A row that takes too
 * long delays the rows behind it by this time in each batch that it fails. Tried alone, it delays no other row and has the
 * whole time of a job, unless it locks its destination (`locksDestination`): then it has the time of a batch.
 */
const statementTimeoutMs = { batch: 5_000, single: 20_000 } as const;

/**
 * Forces generic plans: PostgreSQL estimates that a custom plan is cheaper for an array of hundreds of elements, but making
 * that plan takes half as long as running it. Forbids sequential scans: a plan that was made while a table was empty would
 * scan it once for each row of a batch until the table is analyzed again.
 */
const settings = (
  statementTimeout: string,
) => `set_config('lock_timeout', '${lockTimeoutMs}', true) AS timeout,
    set_config('statement_timeout', ${statementTimeout}, true) AS "statementTimeout",
    set_config('plan_cache_mode', 'force_generic_plan', true) AS plans,
    set_config('enable_seqscan', 'off', true) AS scans`;

const asDeliverer = statement({
  name: "deliver-settings",
  text: `SELECT ${settings("$1")}`,
});

const tryLock = statement({
  name: "deliver-lock",
  text: `SELECT pg_try_advisory_xact_lock(${lockClass.deliver}, $1) AS held,
    ${settings(`'${statementTimeoutMs.batch}'`)}`,
});

/**
 * Tries to take the organization's delivery lock, which is held until the transaction ends. A separate statement, so that
 * the claim after it sees the commit of the previous holder.
 * @returns false if another transaction has the lock
 */
export async function becomeDeliverer(tx: Tx, realmId: number): Promise<boolean> {
  const lock = await tx.first(tryLock, [realmId]);
  return lock?.held === true;
}

/**
 * Takes the delivery lock for rows whose try has been counted. Waits for the lock, because another job may hold it for a
 * moment to count a try of the same rows. That job finds their lease and leaves the rows to this transaction. If this
 * transaction gave up as well, no job would send the rows before the lease ends.
 * @throws lock timeout after {@link lockTimeoutMs}
 */
export async function awaitDeliveryLock(tx: Tx, realmId: number): Promise<void> {
  await beginClaiming(tx);
  await lockKey(tx, "deliver", realmId);
}

/**
 * Sets the timeouts and the planner settings of a delivery. Does not take the delivery lock.
 * @param mode what the transaction delivers: rows that share a batch, or one row that is tried singly
 */
export async function beginClaiming(tx: Tx, mode: "batch" | "single" = "batch"): Promise<void> {
  await tx.rows(asDeliverer, [String(statementTimeoutMs[mode])]);
}

/** Limits of one batch. */
export interface BatchLimits {
  /** Maximum rows. */
  readonly rows: number;
  /** A row is added if the rows before it have fewer bytes of text than this, so the last row may exceed the limit. */
  readonly bytes: number;
  /** Ids of rows that the previous batch is delivering: they stay due until it commits. */
  readonly taken?: readonly number[];
}

const due = `s.realm_id = $1 AND s.deliver_at <= now() AND ${pending("s")}`;
const inOrder = "ORDER BY s.deliver_at, s.id";

/**
 * Selects ids of due rows within {@link BatchLimits}, `$2` to `$4`. The subquery makes PostgreSQL hash the taken ids:
 * `<> ALL($4)` would compare hundreds for each row. `octet_length` does not read the text.
 */
const withinLimits = (condition: string) => `SELECT f.id FROM (
    SELECT d.id, sum(d.bytes) OVER due_order - d.bytes AS before, bool_or(d.attempts > 0) OVER due_order AS tried
    FROM (
      SELECT s.id, s.deliver_at, s.attempts, ${bytes} AS bytes FROM scheduled_messages s
      WHERE ${due} AND ${condition} AND s.id NOT IN (SELECT unnest($4::bigint[])) ${inOrder} LIMIT $2) d
    WINDOW due_order AS (ORDER BY d.deliver_at, d.id)) f
  WHERE f.before < $3`;

/** Ends before the first row with a counted try: rows behind it must not be sent before it. */
const untriedWithinLimits = () => `${withinLimits(mayShareBatch("s"))} AND NOT f.tried`;

function limitValues(realmId: number, { rows, bytes, taken = [] }: BatchLimits): unknown[] {
  return [realmId, rows, bytes, packed.bigints(taken)];
}

/**
 * Locks and reads the organization's due rows within the limits, in the order of delivery: by time, then by id. Waits for
 * rows that an edit or a delete holds, and skips none. Reads in a second statement, because an edit may have changed the
 * recipient of a row while the first one waited. Leaves out rows with counted tries, and the rows behind them.
 */
export async function claimDue(tx: Tx, realmId: number, limits: BatchLimits): Promise<DueRow[]> {
  return withSeries(
    tx,
    await readRows(tx, await tx.lock({ name: "scheduled" }, claim, limitValues(realmId, limits))),
  );
}

/** Locks the series of claimed occurrences (once-and-again.md §3.4). */
async function withSeries(tx: Tx, rows: DueRow[]): Promise<DueRow[]> {
  const ids = rows.flatMap(({ seriesId }) => seriesId ?? []);
  if (ids.length === 0) return rows;
  const series = await lockSeries(tx, ids);
  return rows.map((row) =>
    row.seriesId === null ? row : { ...row, series: series.get(row.seriesId) },
  );
}

/** Locks and reads the rows that are still due. */
export async function claimThese(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<DueRow[]> {
  const values = [realmId, packed.bigints(ids)];
  return withSeries(
    tx,
    await readRows(tx, await tx.lock({ name: "scheduled" }, claimGiven, values)),
  );
}

/** Reads due rows within the limits without locks, to parse their texts before they are claimed. */
export async function peekDue(sql: Sql, realmId: number, limits: BatchLimits): Promise<DueRow[]> {
  return readRows(sql, await sql.rows(peek, limitValues(realmId, limits)));
}

/**
 * Reads rows by their ids, in the order of delivery. Rows with a counted try are read after the count has committed:
 * otherwise the tries of a row that cannot be read would never be counted, and the rows behind it would wait forever.
 */
export async function readRows(
  sql: Sql,
  found: ReadonlyArray<{ readonly id: number; readonly hasConditions?: boolean }>,
): Promise<DueRow[]> {
  if (found.length === 0) return [];
  const hasConditions = found.some((row) => row.hasConditions);
  return sql.rows(claimed, [packed.bigints(found.map(({ id }) => id)), hasConditions]);
}

const claim = statement({
  name: "deliver-claim",
  text: `SELECT s.id, s.unless IS NOT NULL AS "hasConditions" FROM scheduled_messages s
    WHERE s.id = ANY(ARRAY(${untriedWithinLimits()})) AND ${due} ${inOrder} FOR NO KEY UPDATE`,
});

const claimGiven = statement({
  name: "deliver-claim-given",
  text: `SELECT s.id, s.unless IS NOT NULL AS "hasConditions" FROM scheduled_messages s
    WHERE s.id = ANY($2::bigint[]) AND ${due} ${inOrder} FOR NO KEY UPDATE`,
});

const peek = statement({
  name: "deliver-peek",
  text: untriedWithinLimits(),
});

const claimed = statement({
  name: "deliver-claimed",
  text: `SELECT ${scheduledColumns}, s.attempts, ${bytes} AS bytes, s.recipient_id AS "recipientId",
      CASE WHEN $2::bool THEN s.recipient_id || ' ' ||
        left(lower(regexp_replace(s.topic, '^${resolvedPrefix}', '')), ${sharedCharacters}) ELSE '' END AS conversation,
      CASE WHEN s.unless IS NOT NULL THEN extract(epoch FROM s.created_at)::float8 END AS "scheduledAt",
      s.messages_before AS "messagesBefore", nullif(s.checked_in_by, '{}') AS "checkedInBy", u.is_active AS "senderActive",
      u.system_bot_kind IS NOT NULL AS "bySystemBot",
      s.deliver_at < now() - CASE WHEN s.kind = ${scheduledKind.reminder} THEN interval '7 days'
        WHEN s.series_id IS NULL OR s.detached THEN interval '10 minutes'
        ELSE make_interval(secs => ${gracePeriodSql("s.series_id")}) END AS "tooLate",
      s.deliver_at < now() - interval '1 minute' AND EXISTS (
        SELECT FROM realms r WHERE r.id = s.realm_id AND r.reactivated_at > s.deliver_at) AS "dueBeforeReactivation",
      (SELECT m.id FROM messages m WHERE m.scheduled_message_id = s.id LIMIT 1) IS NOT NULL
        OR s.series_id IS NOT NULL AND EXISTS (SELECT FROM series_runs run WHERE run.series_id = s.series_id
          AND run.occurrence = s.occurrence AND run.outcome = 'sent') AS "sentBefore"
    FROM ${scheduledTables} JOIN users u ON u.id = s.sender_id
    WHERE s.id = ANY($1::bigint[]) ${inOrder}`,
  overrides: { ...scheduledOverrides, conversation: notNull },
});

/** Counts a try in the rows of `picked`, and sets its lease. */
const countTry = `UPDATE scheduled_messages s
    SET attempts = least(s.attempts + 1, 100),
      retry_at = now() + make_interval(secs =>
        CASE WHEN s.attempts + 1 >= ${batchTries} THEN ${singlePause} ELSE ${tryLease} END)
    FROM picked WHERE s.id = picked.id`;

/**
 * Waits for rows that are being edited or delivered, and counts nothing while another try of one of them has its lease: a
 * try of the rows behind it would send them out of order.
 */
const countBatchTry = statement({
  name: "deliver-try",
  text: `WITH picked AS (SELECT s.id, s.retry_at FROM scheduled_messages s
      WHERE s.id = ANY(ARRAY(${withinLimits(mayShareBatch("s"))})) AND ${due} ${inOrder} FOR NO KEY UPDATE)
    ${countTry} AND NOT EXISTS (SELECT FROM picked p WHERE p.retry_at > now()) RETURNING s.id, s.attempts`,
});

/** Skips rows that are being edited: rows that are tried singly have lost their place in the order. */
const countSingleTry = statement({
  name: "deliver-try-single",
  text: `WITH picked AS (SELECT s.id FROM scheduled_messages s
      WHERE s.id = ANY(ARRAY(${withinLimits(needsSingleTry("s"))})) AND ${due} ${inOrder} FOR NO KEY UPDATE SKIP LOCKED)
    ${countTry} RETURNING s.id, s.attempts`,
});

/** A row in which a try has been counted. `attempts` includes that try. */
export type CountedRow = RowOf<typeof countBatchTry>;

/**
 * Counts a try in due rows. The caller commits the count before it reads and sends them, so that a try that kills its
 * process or loses its connection has been counted.
 */
export function beginTries(tx: Tx, realmId: number, limits: BatchLimits): Promise<CountedRow[]> {
  return tx.rows(countBatchTry, limitValues(realmId, limits));
}

/** Counts a try in one of the rows that are tried singly. */
export function beginSingleTry(tx: Tx, realmId: number): Promise<CountedRow[]> {
  return tx.rows(countSingleTry, limitValues(realmId, { rows: 1, bytes: 1 }));
}

const endLease = statement({
  name: "deliver-try-ended",
  text: `UPDATE scheduled_messages s SET retry_at = NULL FROM (
      SELECT t.id FROM scheduled_messages t WHERE t.id = ANY($1::bigint[]) AND ${mayShareBatch("t")}
      ORDER BY t.id FOR NO KEY UPDATE SKIP LOCKED) tried WHERE s.id = tried.id`,
});

/** Ends the lease of a counted try that has failed, so that the next try of rows that share batches need not wait. */
export async function endTries(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.rows(endLease, [packed.bigints(ids)]);
}

const uncount = statement({
  name: "deliver-uncount",
  text: "UPDATE scheduled_messages SET attempts = attempts - 1, retry_at = NULL WHERE id = ANY($1::bigint[])",
});

/** Undoes the count of a try in claimed rows that were left out of the batch. The statement is sent with the COMMIT. */
export function uncountTries(tx: Tx, rows: readonly DueRow[]): void {
  if (rows.length === 0) return;
  tx.sendWithCommit(uncount, [packed.bigints(rows.map(({ id }) => id))]);
}

/**
 * The due messages of an organization.
 * - `now`: the database's clock, UNIX seconds with a fraction.
 * - `attempts`: counted tries of the first due row; null if no row is due that may share a batch.
 * - `isTried`: whether the lease of a counted try of that row has not ended.
 * - `single`: whether a row is due that must be tried singly.
 */
export type DueState = RowOf<typeof dueState>;

const dueState = statement({
  name: "deliver-look",
  text: `SELECT extract(epoch FROM now())::float8 AS now, head.attempts::int,
      coalesce(head.retry_at > now(), false) AS "isTried",
      active.is_active AND (
        SELECT s.id FROM scheduled_messages s WHERE ${due} AND ${needsSingleTry("s")} LIMIT 1) IS NOT NULL AS single
    FROM (SELECT EXISTS (SELECT FROM realms WHERE id = $1 AND NOT deactivated AND read_only_since IS NULL) AS is_active) active
    LEFT JOIN LATERAL (
      SELECT s.attempts, s.retry_at FROM scheduled_messages s WHERE ${due} AND ${mayShareBatch("s")} ${inOrder} LIMIT 1
    ) head ON active.is_active`,
});

/**
 * Reads whether messages are due. None are due in a deactivated or read-only organization: its messages wait (users.md §5.2).
 *
 * Searches in the order of the claim: EXISTS would walk the index over the backlogs of all organizations.
 */
export async function loadDueState(sql: Sql, realmId: number): Promise<DueState> {
  const [state] = await sql.rows(dueState, [realmId]);
  return state!;
}
