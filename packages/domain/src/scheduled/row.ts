import type { Condition } from "@carillon/contract";
import type { Destination } from "@carillon/model";
import { statement, typed, type RowOf, type Tx } from "@carillon/db";
import type { ScheduledKind } from "@carillon/scheduling";

/** Types of {@link scheduledColumns} that PostgreSQL cannot describe. */
export const scheduledOverrides = {
  kind: typed<ScheduledKind>(),
  /** The message is not sent if one of these holds; null without conditions. */
  unless: typed<readonly Condition[]>(),
};

/**
 * A row of `scheduled_messages` with its recipients.
 * - `senderId`: the sender; for a reminder, the account that it reminds.
 * - `memberIds`: members of the direct conversation, the sender too; null for a channel.
 * - `deliverAt`: UNIX seconds
 * - `targetId`: the message that a reminder is about; null for other rows.
 * - `note`: the note of a reminder; null if there is none.
 * - `seriesId`, `occurrence`: the series of an occurrence and its local date, `YYYY-MM-DD`; null for other rows.
 * - `detached`: the occurrence was edited apart from its series or has failed, so that its series has planned the next one.
 */
export type ScheduledRow = RowOf<typeof byId>;

export const scheduledColumns = `s.id, s.kind, s.sender_id AS "senderId", s.channel_id AS "channelId",
  CASE WHEN s.channel_id IS NULL THEN r.member_ids END AS "memberIds", s.topic, s.content,
  s.rendered_content AS "renderedContent", s.client_id AS "clientId",
  extract(epoch FROM s.deliver_at)::float8 AS "deliverAt", s.version, s.read_by_sender AS "readBySender",
  s.delivered, s.failed, s.reminder_target_message_id AS "targetId", s.reminder_note AS note,
  s.unless,
  s.series_id AS "seriesId", to_char(s.occurrence, 'YYYY-MM-DD') AS occurrence, s.detached`;

/** The `FROM` clause of {@link scheduledColumns}. */
export const scheduledTables = "scheduled_messages s JOIN recipients r ON r.id = s.recipient_id";

/** Returns where a row's message goes: a channel, or the members of a conversation. */
export function destinationOf(row: ScheduledRow): Destination {
  if (row.channelId !== null) return { kind: "channel", channelId: row.channelId };
  return { kind: "direct", userIds: row.memberIds ?? [] };
}

const lockById = statement({
  name: "scheduled-lock",
  text: "SELECT FROM scheduled_messages WHERE id = $1 FOR NO KEY UPDATE",
});

/** Locks a row as the delivery locks it. */
export async function lockScheduled(tx: Tx, id: number): Promise<void> {
  await tx.lock({ name: "scheduled", keys: [id] }, lockById, [id]);
}

const inRealm = statement({
  name: "scheduled-in-realm",
  text: `SELECT ${scheduledColumns} FROM ${scheduledTables} WHERE s.id = $1 AND s.realm_id = $2`,
  overrides: scheduledOverrides,
});

/** Loads a row of the organization, of any account; undefined if it does not exist. */
export function loadScheduledRow(
  tx: Tx,
  realmId: number,
  id: number,
): Promise<ScheduledRow | undefined> {
  return tx.first(inRealm, [id, realmId]);
}

const lockOwn = statement({
  name: "scheduled-lock-own",
  text: `SELECT FROM scheduled_messages
    WHERE id = $1 AND sender_id = $2 AND kind = $3 FOR NO KEY UPDATE`,
});

const byId = statement({
  name: "scheduled-by-id",
  text: `SELECT ${scheduledColumns} FROM ${scheduledTables} WHERE s.id = $1`,
  overrides: scheduledOverrides,
});

/**
 * Locks the account's own row of that kind, as the delivery locks it, and returns it; undefined if the account has no such
 * row. Locks in a separate statement: if an edit replaces the recipient while a locking statement waits, PostgreSQL checks
 * the statement's join again with the old recipient, and the statement returns no row.
 */
export async function lockOwnScheduled(
  tx: Tx,
  senderId: number,
  kind: ScheduledKind,
  id: number,
): Promise<ScheduledRow | undefined> {
  const locked = await tx.lock({ name: "scheduled", keys: [id] }, lockOwn, [id, senderId, kind]);
  if (locked.length === 0) return undefined;
  const [row] = await tx.rows(byId, [id]);
  return row;
}
