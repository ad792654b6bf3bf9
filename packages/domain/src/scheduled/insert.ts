import { column, statement, type Tx } from "@carillon/db";

import type { ScheduledRow } from "./row.ts";

/** A row that is not there yet. */
export interface NewScheduledRow extends Omit<
  ScheduledRow,
  "id" | "version" | "delivered" | "failed"
> {
  readonly recipientId: number;
  readonly hasAttachment: boolean;
}

const store = statement({
  name: "scheduled-insert",
  text: `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
      rendered_content, client_id, deliver_at, read_by_sender, has_attachment, kind, reminder_target_message_id,
      reminder_note)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9), $10, $11, $12, $13, $14) RETURNING id`,
  row: { id: column.bigint },
});

/** Stores a message to be sent later, or a reminder, and leaves its alarm to be set after the commit. */
export async function insertScheduled(
  tx: Tx,
  realmId: number,
  { recipientId, hasAttachment, ...row }: NewScheduledRow,
): Promise<ScheduledRow> {
  const [stored] = await tx.rows(store, [
    realmId,
    row.senderId,
    recipientId,
    row.channelId,
    row.topic,
    row.content,
    row.renderedContent,
    row.clientId,
    row.deliverAt,
    row.readBySender,
    hasAttachment,
    row.kind,
    row.targetId,
    row.note,
  ]);
  const { id } = stored!;
  tx.leave("alarm", { realmId, scheduledMessageId: id, version: 1, deliverAt: row.deliverAt });
  return { ...row, id, version: 1, delivered: false, failed: false };
}
