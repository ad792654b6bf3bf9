import { recordAudit } from "@carillon/model";
import { errors, type NewEvent } from "@carillon/contract";
import { statement, type Database, type RowOf, type Sql, type Tx } from "@carillon/db";
import { deliveryScheduled } from "@carillon/scheduling";
import { emit } from "@carillon/events";

import { isReminder } from "../scheduled/due-row.ts";
import { latestDueTime } from "../scheduled/due-time.ts";
import { scheduledEvents } from "../scheduled/scheduled-events.ts";
import { reminderEvents } from "../scheduled/reminder-events.ts";
import { scheduledColumns, scheduledOverrides, scheduledTables } from "../scheduled/row.ts";

/** A scheduled message or reminder that failed. */
export interface FailedMessage {
  readonly id: number;
  /** Only if it still has this version, which rises with each rescheduling; undefined for any version. */
  readonly version?: number;
}

export interface RescheduleOptions {
  /** UNIX seconds; undefined sends now. */
  readonly deliverAt?: number;
  /** Name of the operator, for the audit log. */
  readonly operator: string;
}

/** Why a failed message would fail again, and how to fix it. */
export interface ReschedulingRefusal {
  readonly id: number;
  readonly reason: string;
}

/** The result, or the preview, of rescheduling messages. */
export interface ReschedulingResult {
  readonly rescheduled: number;
  readonly refused: readonly ReschedulingRefusal[];
  /** Not changed: sent, deleted or rescheduled since. */
  readonly unchanged: number;
}

/** Maximum rows and characters of rendered text of one transaction, because each row is written into an event. */
const batch = { rows: 200, characters: 1_000_000 } as const;

const candidates = statement({
  name: "reschedule-candidates",
  text: `SELECT s.id, s.realm_id AS "realmId", length(s.rendered_content) AS size
    FROM unnest($1::bigint[], $2::int[]) AS c (id, version) JOIN scheduled_messages s USING (id)
    WHERE s.failed AND NOT s.delivered AND s.version = coalesce(c.version, s.version)
    ORDER BY s.realm_id, s.id`,
});

const lock = statement({
  name: "reschedule-lock",
  text: `SELECT id FROM scheduled_messages WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
});

/** The facts that decide whether a failed row may be sent; `channelName` is null for a direct conversation. */
type JudgedRow = RowOf<typeof judged>;

const judgedColumns = `u.full_name AS "senderName", u.is_active AS "senderActive", NOT o.deactivated AS "realmActive",
  ch.name AS "channelName", ch.is_archived AS "channelArchived"`;
const judgedTables = `JOIN users u ON u.id = s.sender_id JOIN realms o ON o.id = s.realm_id
  LEFT JOIN channels ch ON ch.id = s.channel_id`;
const stillFailed = `s.failed AND NOT s.delivered AND s.version = coalesce(c.version, s.version)`;

const judged = statement({
  name: "reschedule-judged",
  text: `SELECT s.id, ${judgedColumns}
    FROM unnest($1::bigint[], $2::int[]) AS c (id, version) JOIN scheduled_messages s ON s.id = c.id ${judgedTables}
    WHERE ${stillFailed} ORDER BY s.id`,
});

const locked = statement({
  name: "reschedule-locked",
  text: `SELECT ${scheduledColumns}, ${judgedColumns}
    FROM unnest($1::bigint[], $2::int[]) AS c (id, version), ${scheduledTables} ${judgedTables}
    WHERE s.id = c.id AND ${stillFailed} ORDER BY s.id`,
  overrides: scheduledOverrides,
});

const store = statement({
  name: "reschedule-store",
  text: `UPDATE scheduled_messages SET deliver_at = date_trunc('second', greatest(now(), to_timestamp($2::float8))), version = version + 1,
      alarmed_at = NULL, failed = false, failure_message = NULL, attempts = 0, retry_at = NULL
    WHERE id = ANY($1::bigint[])
    RETURNING id, version, extract(epoch FROM deliver_at)::float8 AS "deliverAt"`,
});

const clock = statement({
  name: "reschedule-clock",
  text: "SELECT extract(epoch FROM now())::float8 AS now",
});

/**
 * Returns what `rescheduleFailed` would do now, and changes nothing. Makes the same refusals as `rescheduleFailed`;
 * does not check what only the delivery checks, such as the permission to post.
 */
export async function previewReschedule(
  sql: Sql,
  messages: readonly FailedMessage[],
): Promise<ReschedulingResult> {
  const once = onceEach(messages);
  const rows = await sql.rows(judged, columnsOf(once));
  const refused = refusalsOf(rows);
  return {
    rescheduled: rows.length - refused.length,
    refused,
    unchanged: once.length - rows.length,
  };
}

/**
 * Reschedules failed scheduled messages and reminders for an operator. They are sent as their authors, whose clients
 * see them as edited. Refuses messages whose author, channel or organization is inactive, because they would fail
 * again. Idempotent: changes only messages that are still failed, in the given version.
 * @throws ApiError `BAD_REQUEST` for an invalid time; nothing has changed then
 */
export async function rescheduleFailed(
  db: Database,
  messages: readonly FailedMessage[],
  options: RescheduleOptions,
): Promise<ReschedulingResult> {
  await checkTime(db, options.deliverAt);
  const versions = new Map(messages.map(({ id, version }) => [id, version]));
  const found = await db.rows(candidates, columnsOf(onceEach(messages)));
  let rescheduled = 0;
  const refused: ReschedulingRefusal[] = [];
  for (const { realmId, ids } of batchesOf(found)) {
    const chosen = ids.map((id) => {
      const version = versions.get(id);
      return version === undefined ? { id } : { id, version };
    });
    const result = await db.transaction((tx) => rescheduleBatch(tx, realmId, chosen, options));
    rescheduled += result.rescheduled;
    refused.push(...result.refused);
  }
  return { rescheduled, refused, unchanged: versions.size - rescheduled - refused.length };
}

async function rescheduleBatch(
  tx: Tx,
  realmId: number,
  messages: readonly FailedMessage[],
  { deliverAt, operator }: RescheduleOptions,
): Promise<Pick<ReschedulingResult, "rescheduled" | "refused">> {
  const ids = messages.map(({ id }) => id);
  // Locks in a separate statement: a statement that waits for an edit would still read the old recipient.
  await tx.lock({ name: "scheduled", keys: ids }, lock, [ids]);
  const rows = await tx.rows(locked, columnsOf(messages));
  const refused = refusalsOf(rows);
  const not = new Set(refused.map(({ id }) => id));
  const sendable = rows.filter(({ id }) => !not.has(id));
  if (sendable.length === 0) return { rescheduled: 0, refused };
  const stored = await tx.rows(store, [sendable.map(({ id }) => id), deliverAt ?? 0]);
  const changed = new Map(stored.map((row) => [row.id, row]));
  const edited = sendable.map((row) => ({ ...row, ...changed.get(row.id)!, failed: false }));
  emit(
    tx,
    realmId,
    edited.flatMap((row): NewEvent[] =>
      // The protocol has no event for a changed reminder.
      isReminder(row)
        ? [reminderEvents.remove(row), reminderEvents.add(row)]
        : [scheduledEvents.update(row)],
    ),
  );
  recordAudit(
    tx,
    realmId,
    null,
    edited.map(({ id, senderId, version, deliverAt: at }) => ({
      type: "scheduled_message_rescheduled",
      userId: senderId,
      data: { scheduled_message_id: id, version, deliver_at: at, operator },
    })),
  );
  for (const { id, version, deliverAt: at } of edited)
    tx.publishAfterCommit(deliveryScheduled, {
      realmId,
      scheduledMessageId: id,
      version,
      deliverAt: at,
    });
  return { rescheduled: edited.length, refused };
}

function refusalsOf(rows: readonly JudgedRow[]): ReschedulingRefusal[] {
  return rows.flatMap((row) => {
    const reason = refusalOf(row);
    return reason === undefined ? [] : [{ id: row.id, reason }];
  });
}

function refusalOf(row: JudgedRow): string | undefined {
  if (!row.realmActive) return "The organization is deactivated.";
  if (!row.senderActive)
    return `The account of ${row.senderName} is deactivated: have an administrator reactivate it, then send again.`;
  if (row.channelArchived === true)
    return `The channel ${row.channelName ?? ""} is archived: have an administrator unarchive it, then send again.`;
  return undefined;
}

async function checkTime(sql: Sql, deliverAt: number | undefined): Promise<void> {
  if (deliverAt === undefined) return;
  const [row] = await sql.rows(clock, []);
  if (deliverAt <= row!.now) throw errors.badRequest("The new time must be in the future");
  if (deliverAt > latestDueTime)
    throw errors.badRequest("The new time must not be beyond the year 9999");
}

/** Removes duplicates: a list of failures may contain a message several times. */
function onceEach(messages: readonly FailedMessage[]): FailedMessage[] {
  return [...new Map(messages.map((message) => [message.id, message])).values()];
}

/** Splits rows into batches of one organization each, limited by rows and by text. */
function batchesOf(
  found: ReadonlyArray<RowOf<typeof candidates>>,
): Array<{ readonly realmId: number; readonly ids: readonly number[] }> {
  const batches: Array<{ realmId: number; ids: number[]; size: number }> = [];
  for (const { id, realmId, size } of found) {
    const last = batches.at(-1);
    const fits =
      last?.realmId === realmId &&
      last.ids.length < batch.rows &&
      last.size + size <= batch.characters;
    if (last && fits) {
      last.ids.push(id);
      last.size += size;
    } else batches.push({ realmId, ids: [id], size });
  }
  return batches;
}

function columnsOf(messages: readonly FailedMessage[]): [number[], (number | null)[]] {
  return [messages.map(({ id }) => id), messages.map(({ version }) => version ?? null)];
}
