import {
  column,
  lockClass,
  packed,
  pending,
  scheduledKind,
  statement,
  type RowOf,
  type Sql,
  type Tx,
} from "@carillon/db";

import { scheduledColumns, scheduledRow, scheduledTables } from "./row.ts";

const dueRow = {
  ...scheduledRow,
  senderActive: column.bool,
  /** The sender is one of the organization's own bots. */
  bySystemBot: column.bool,
  /** More than ten minutes past its time. */
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

/**
 * The organization's due rows, at most `limit`, in the order of delivery: by time, then by id. Rows are waited for
 * and never skipped: only an edit or a delete can hold one. They are locked first and read then, because an edit that
 * was waited for may have given a row another recipient, which the statement that waited cannot see.
 * @param taken ids of rows that are being delivered, and are no longer due once that has committed
 */
export async function claimDue(
  tx: Tx,
  realmId: number,
  limit: number,
  taken: readonly number[] = [],
): Promise<DueRow[]> {
  const locked = await tx.lock({ name: "scheduled" }, claim, [
    realmId,
    limit,
    packed.bigints(taken),
  ]);
  return locked.length === 0 ? [] : tx.rows(claimed, [packed.bigints(locked.map(({ id }) => id))]);
}

const due = `s.realm_id = $1 AND s.deliver_at <= now() AND ${pending("s")}`;
const inOrder = "ORDER BY s.deliver_at, s.id";

/** What is taken is hashed so: `<> ALL($3)` would go through hundreds of ids for each row. */
const claim = statement({
  name: "deliver-claim",
  text: `SELECT s.id FROM scheduled_messages s
    WHERE ${due} AND s.id NOT IN (SELECT unnest($3::bigint[])) ${inOrder} LIMIT $2 FOR NO KEY UPDATE`,
  row: { id: column.bigint },
});

const claimed = statement({
  name: "deliver-claimed",
  text: `SELECT ${scheduledColumns}, u.is_active AS "senderActive",
      u.system_bot_kind IS NOT NULL AS "bySystemBot",
      s.deliver_at < now() - interval '10 minutes' AS "tooLate",
      (SELECT m.id FROM messages m WHERE m.scheduled_message_id = s.id LIMIT 1) IS NOT NULL AS "sentBefore"
    FROM ${scheduledTables} JOIN users u ON u.id = s.sender_id
    WHERE s.id = ANY($1::bigint[]) ${inOrder}`,
  row: dueRow,
});

const dueLook = {
  /** The database's clock, UNIX seconds with a fraction. */
  now: column.float,
  /** Whether anything is due now. */
  due: column.bool,
};

/** What a deliverer sees when it looks once more after its last commit. */
export type DueLook = RowOf<typeof dueLook>;

const lookOnce = statement({
  name: "deliver-look",
  text: `SELECT extract(epoch FROM now())::float8 AS now, (
      SELECT s.id FROM scheduled_messages s WHERE ${due} ${inOrder} LIMIT 1) IS NOT NULL AS due`,
  row: dueLook,
});

/** Asks in the order of the claim, not with EXISTS: that would walk the index over all organizations and their backlogs. */
export async function lookForDue(sql: Sql, realmId: number): Promise<DueLook> {
  const [look] = await sql.rows(lookOnce, [realmId]);
  return look!;
}
