import { column, lockClass, packed, statement, type RowOf, type Sql, type Tx } from "@carillon/db";
import {
  goesAlone,
  goesTogether,
  pending,
  scheduledKind,
  triesTogether,
} from "@carillon/scheduling";

import { scheduledColumns, scheduledRow, scheduledTables } from "./row.ts";

/** Bytes of text that have to be read to send the row: for a reminder, what its message says by now too. */
const bytes = `octet_length(s.content) + CASE WHEN s.reminder_target_message_id IS NULL THEN 0 ELSE coalesce(
    (SELECT octet_length(m.content) FROM messages m WHERE m.id = s.reminder_target_message_id), 0) END`;

const dueRow = {
  ...scheduledRow,
  /** Careful tries so far, the one that is under way included. */
  attempts: column.int,
  /** How much text has to be read to send it. */
  bytes: column.int,
  senderActive: column.bool,
  /** The sender is one of the organization's own bots. */
  bySystemBot: column.bool,
  /** More than ten minutes past its time, or seven days if it is a reminder. */
  tooLate: column.bool,
  /** Its message is there already, and stays the only one: who claims the row has it for itself. */
  sentBefore: column.bool,
};

/** A due row with what decides at once that it is not sent. */
export type DueRow = RowOf<typeof dueRow>;

/** Whether the row is a reminder, and no message to be sent later. */
export function isReminder({ kind }: Pick<DueRow, "kind">): boolean {
  return kind === scheduledKind.reminder;
}

/** Between two tries of a row that goes alone, in seconds: others are sent meanwhile. */
const pauseAlone = 15;

/** For so many seconds after a try was counted, nobody else counts one: by then it has the lock of the delivery. */
const tryLease = 5;

/** How long a claim waits, in milliseconds, for an edit or a delete that holds a row. */
const lockTimeoutMs = 2_000;

/**
 * Plans that serve any batch: with arrays of hundreds PostgreSQL thinks a new plan for each cheaper, and takes as long for
 * that as for half of what it plans.
 */
const settings = `set_config('lock_timeout', '${lockTimeoutMs}', true) AS patience,
    set_config('plan_cache_mode', 'force_generic_plan', true) AS plans`;
const settingsRow = { patience: column.text, plans: column.text };

const asDeliverer = statement({
  name: "deliver-settings",
  text: `SELECT ${settings}`,
  row: settingsRow,
});

const tryLock = statement({
  name: "deliver-lock",
  text: `SELECT pg_try_advisory_xact_lock(${lockClass.deliver}, $1) AS held,
    ${settings}`,
  row: { held: column.bool, ...settingsRow },
});

/**
 * Begins a delivery: true for the one transaction that may deliver in this organization, until it ends. It is a
 * statement of its own, so that the claim after it sees what the deliverer before committed.
 */
export async function becomeDeliverer(tx: Tx, realmId: number): Promise<boolean> {
  const lock = await tx.first(tryLock, [realmId]);
  return lock?.held === true;
}

/** Has a transaction wait as short for rows as a delivery does, and plan as it does, before it is one. */
export async function beginClaiming(tx: Tx): Promise<void> {
  await tx.rows(asDeliverer);
}

/** What a batch may hold. */
export interface BatchLimits {
  /** Rows, at most. */
  readonly rows: number;
  /** Rows are added while those before have fewer bytes of text: one row may have more. */
  readonly bytes: number;
  /** Ids of rows that are being delivered, and are no longer due once that has committed. */
  readonly taken?: readonly number[];
}

const due = `s.realm_id = $1 AND s.deliver_at <= now() AND ${pending("s")}`;
const inOrder = "ORDER BY s.deliver_at, s.id";

/**
 * Ids of due rows within {@link BatchLimits}, `$2` to `$4`. What is taken is hashed: `<> ALL($4)` would go through
 * hundreds of ids for each row. The length of a text is known without reading it.
 */
const withinLimits = (condition: string) => `SELECT f.id FROM (
    SELECT d.id, sum(d.bytes) OVER due_order - d.bytes AS before, bool_or(d.attempts > 0) OVER due_order AS tried
    FROM (
      SELECT s.id, s.deliver_at, s.attempts, ${bytes} AS bytes FROM scheduled_messages s
      WHERE ${due} AND ${condition} AND s.id NOT IN (SELECT unnest($4::bigint[])) ${inOrder} LIMIT $2) d
    WINDOW due_order AS (ORDER BY d.deliver_at, d.id)) f
  WHERE f.before < $3`;

/** The same up to the first row that was tried carefully: rows behind it must not be sent before it. */
const untriedWithinLimits = () => `${withinLimits(goesTogether("s"))} AND NOT f.tried`;

function limitValues(realmId: number, { rows, bytes, taken = [] }: BatchLimits): unknown[] {
  return [realmId, rows, bytes, packed.bigints(taken)];
}

/**
 * Claims the organization's due rows within the limits, in the order of delivery: by time, then by id. Rows are waited
 * for and never skipped: only an edit or a delete can hold one. They are locked first and read then, because an edit
 * that was waited for may have given a row another recipient, which the statement that waited cannot see. Rows of
 * careful tries, and those behind them, are left out.
 */
export async function claimDue(tx: Tx, realmId: number, limits: BatchLimits): Promise<DueRow[]> {
  return readRows(tx, await tx.lock({ name: "scheduled" }, claim, limitValues(realmId, limits)));
}

/** Claims those of the rows that are still due. */
export async function claimThese(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<DueRow[]> {
  const values = [realmId, packed.bigints(ids)];
  return readRows(tx, await tx.lock({ name: "scheduled" }, claimGiven, values));
}

/** The due rows within the limits, which are not claimed, to be read ahead. */
export async function peekDue(sql: Sql, realmId: number, limits: BatchLimits): Promise<DueRow[]> {
  return readRows(sql, await sql.rows(peek, limitValues(realmId, limits)));
}

/** Reads rows by their ids, in the order of delivery. */
export async function readRows(
  sql: Sql,
  ids: ReadonlyArray<{ readonly id: number }>,
): Promise<DueRow[]> {
  return ids.length === 0 ? [] : sql.rows(claimed, [packed.bigints(ids.map(({ id }) => id))]);
}

const claim = statement({
  name: "deliver-claim",
  text: `SELECT s.id FROM scheduled_messages s
    WHERE s.id = ANY(ARRAY(${untriedWithinLimits()})) AND ${due} ${inOrder} FOR NO KEY UPDATE`,
  row: { id: column.bigint },
});

const claimGiven = statement({
  name: "deliver-claim-given",
  text: `SELECT s.id FROM scheduled_messages s
    WHERE s.id = ANY($2::bigint[]) AND ${due} ${inOrder} FOR NO KEY UPDATE`,
  row: { id: column.bigint },
});

const peek = statement({
  name: "deliver-peek",
  text: untriedWithinLimits(),
  row: { id: column.bigint },
});

const claimed = statement({
  name: "deliver-claimed",
  text: `SELECT ${scheduledColumns}, s.attempts, ${bytes} AS bytes, u.is_active AS "senderActive",
      u.system_bot_kind IS NOT NULL AS "bySystemBot",
      s.deliver_at < now() - CASE WHEN s.kind = ${scheduledKind.reminder}
        THEN interval '7 days' ELSE interval '10 minutes' END AS "tooLate",
      (SELECT m.id FROM messages m WHERE m.scheduled_message_id = s.id LIMIT 1) IS NOT NULL AS "sentBefore"
    FROM ${scheduledTables} JOIN users u ON u.id = s.sender_id
    WHERE s.id = ANY($1::bigint[]) ${inOrder}`,
  row: dueRow,
});

/** Counts a try in the rows of `picked`, and gives it its lease. */
const countTry = `UPDATE scheduled_messages s
    SET attempts = least(s.attempts + 1, 100),
      retry_at = now() + make_interval(secs =>
        CASE WHEN s.attempts + 1 >= ${triesTogether} THEN ${pauseAlone} ELSE ${tryLease} END)
    FROM picked WHERE s.id = picked.id`;

/**
 * Waits for rows that somebody edits or has claimed, and counts nothing while another try of one of them goes on: a try
 * of the rows behind them would send these first.
 */
const tryTogether = statement({
  name: "deliver-try",
  text: `WITH picked AS (SELECT s.id, s.retry_at FROM scheduled_messages s
      WHERE s.id = ANY(ARRAY(${withinLimits(goesTogether("s"))})) AND ${due} ${inOrder} FOR NO KEY UPDATE)
    ${countTry} AND NOT EXISTS (SELECT FROM picked p WHERE p.retry_at > now()) RETURNING s.id`,
  row: { id: column.bigint },
});

/** Skips rows that somebody edits: rows that go alone have lost their place in the order. */
const tryAlone = statement({
  name: "deliver-try-alone",
  text: `WITH picked AS (SELECT s.id FROM scheduled_messages s
      WHERE s.id = ANY(ARRAY(${withinLimits(goesAlone("s"))})) AND ${due} ${inOrder} FOR NO KEY UPDATE SKIP LOCKED)
    ${countTry} RETURNING s.id`,
  row: { id: column.bigint },
});

/**
 * Begins a careful try of due rows: counts it in them, which is to be committed before they are sent. So a try that
 * kills its process, or loses its connection, has been counted.
 */
export async function beginTries(tx: Tx, realmId: number, limits: BatchLimits): Promise<DueRow[]> {
  return readRows(tx, await tx.rows(tryTogether, limitValues(realmId, limits)));
}

/** Begins a try of one of the rows that go alone. */
export async function beginTryAlone(tx: Tx, realmId: number): Promise<DueRow[]> {
  return readRows(tx, await tx.rows(tryAlone, limitValues(realmId, { rows: 1, bytes: 1 })));
}

const endLease = statement({
  name: "deliver-try-ended",
  text: `UPDATE scheduled_messages s SET retry_at = NULL FROM (
      SELECT t.id FROM scheduled_messages t WHERE t.id = ANY($1::bigint[]) AND ${goesTogether("t")}
      ORDER BY t.id FOR NO KEY UPDATE SKIP LOCKED) tried WHERE s.id = tried.id`,
  row: {},
});

/** Says that a counted try of rows that may go with others has failed: the next one need not wait. */
export async function endTries(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.rows(endLease, [packed.bigints(ids)]);
}

const uncount = statement({
  name: "deliver-take-back",
  text: "UPDATE scheduled_messages SET attempts = attempts - 1, retry_at = NULL WHERE id = ANY($1::bigint[])",
  row: {},
});

/** Takes a counted try back, with the commit, in claimed rows that were not tried after all. */
export function takeBackTries(tx: Tx, rows: readonly DueRow[]): void {
  if (rows.length === 0) return;
  tx.sendWithCommit(uncount, [packed.bigints(rows.map(({ id }) => id))]);
}

const dueLook = {
  /** The database's clock, UNIX seconds with a fraction. */
  now: column.float,
  /** How often the first of the due rows has been tried carefully; null where nothing is due that may go with others. */
  attempts: column.int.orNull(),
  /** Whether somebody has just begun a careful try of it. */
  isTried: column.bool,
  /** Whether a row is due that has to go alone. */
  alone: column.bool,
};

/** What a deliverer sees when it looks once more after its last commit. */
export type DueLook = RowOf<typeof dueLook>;

const lookOnce = statement({
  name: "deliver-look",
  text: `SELECT extract(epoch FROM now())::float8 AS now, head.attempts::int,
      coalesce(head.retry_at > now(), false) AS "isTried",
      (SELECT s.id FROM scheduled_messages s WHERE ${due} AND ${goesAlone("s")} LIMIT 1) IS NOT NULL AS alone
    FROM (SELECT) once LEFT JOIN LATERAL (
      SELECT s.attempts, s.retry_at FROM scheduled_messages s WHERE ${due} AND ${goesTogether("s")} ${inOrder} LIMIT 1
    ) head ON true`,
  row: dueLook,
});

/** Asks in the order of the claim, not with EXISTS: that would walk the index over all organizations and their backlogs. */
export async function lookForDue(sql: Sql, realmId: number): Promise<DueLook> {
  const [look] = await sql.rows(lookOnce, [realmId]);
  return look!;
}
