import { packed, statement, type Tx } from "@carillon/db";
import { deliveryScheduled } from "@carillon/scheduling";

import type { ScheduledRow } from "./row.ts";

/** Occurrences of series are inserted by their own statement. */
const noOccurrence = { seriesId: null, occurrence: null, detached: false } as const;

/** A row to insert. */
export interface NewScheduledRow extends Omit<
  ScheduledRow,
  "id" | "version" | "delivered" | "failed" | keyof typeof noOccurrence
> {
  readonly recipientId: number;
  readonly hasAttachment: boolean;
  /** Id of the request in the log. */
  readonly requestId: string | undefined;
}

const store = statement({
  name: "scheduled-insert",
  text: `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
      rendered_content, client_id, deliver_at, read_by_sender, has_attachment, kind, reminder_target_message_id,
      reminder_note, request_id, unless, messages_before)
    SELECT $1, s.sender_id, s.recipient_id, s.channel_id, s.topic, s.content, s.rendered, s.client_id,
      to_timestamp(s.deliver_at), s.read_by_sender, s.has_attachment, s.kind, s.target_id, s.note, s.request_id,
      s.unless::jsonb, pg_sequence_last_value('messages_id_seq'::regclass)
    FROM unnest($2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::int[], $9::float8[],
        $10::bool[], $11::bool[], $12::int[], $13::bigint[], $14::text[], $15::text[], $16::text[])
      WITH ORDINALITY AS s (sender_id, recipient_id, channel_id, topic, content, rendered, client_id, deliver_at,
        read_by_sender, has_attachment, kind, target_id, note, request_id, unless, place)
    ORDER BY s.place RETURNING id`,
});

/**
 * Stores messages to be sent later, or reminders. Their delivery jobs are added to the queue after the commit. Ids rise in
 * the order given.
 */
export async function insertScheduled(
  tx: Tx,
  realmId: number,
  rows: readonly NewScheduledRow[],
): Promise<ScheduledRow[]> {
  const ofEach = <T>(value: (row: NewScheduledRow) => T) => rows.map(value);
  const stored = await tx.rows(store, [
    realmId,
    packed.ints(ofEach((row) => row.senderId)),
    packed.ints(ofEach((row) => row.recipientId)),
    packed.ints(ofEach((row) => row.channelId)),
    packed.texts(ofEach((row) => row.topic)),
    packed.texts(ofEach((row) => row.content)),
    packed.texts(ofEach((row) => row.renderedContent)),
    packed.ints(ofEach((row) => row.clientId)),
    ofEach((row) => row.deliverAt),
    packed.bools(ofEach((row) => row.readBySender)),
    packed.bools(ofEach((row) => row.hasAttachment)),
    packed.ints(ofEach((row) => row.kind)),
    packed.bigints(ofEach((row) => row.targetId)),
    packed.texts(ofEach((row) => row.note)),
    packed.texts(ofEach((row) => row.requestId ?? null)),
    packed.texts(ofEach(({ unless }) => unless && JSON.stringify(unless))),
  ]);
  const ids = stored.map(({ id }) => id).sort((a, b) => a - b);
  return rows.map(
    ({ recipientId: _recipient, hasAttachment: _attachment, requestId: _request, ...row }, i) => {
      const id = ids[i]!;
      tx.publishAfterCommit(deliveryScheduled, {
        realmId,
        scheduledMessageId: id,
        version: 1,
        deliverAt: row.deliverAt,
      });
      return { id, version: 1, delivered: false, failed: false, ...noOccurrence, ...row };
    },
  );
}
