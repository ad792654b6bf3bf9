import { packed, statement, type Tx } from "@carillon/db";
import type { NumberedMessage, OutgoingMessage, Submessage } from "@carillon/model";

const allocate = statement({
  name: "submessage-ids",
  text: "SELECT nextval('submessages_id_seq') AS id FROM generate_series(1, $1::int)",
});

/** Allocates the ids of the messages' submessages, in the order of the messages. */
export async function allocateWidgets(
  tx: Tx,
  outgoing: readonly OutgoingMessage[],
): Promise<ReadonlyMap<OutgoingMessage, number>> {
  const widgets = outgoing.filter(({ widget }) => widget !== undefined);
  if (widgets.length === 0) return new Map();
  const ids = await tx.rows(allocate, [widgets.length]);
  return new Map(widgets.map((message, i) => [message, ids[i]!.id]));
}

const insert = statement({
  name: "widgets-insert",
  text: `INSERT INTO submessages (id, message_id, sender_id, msg_type, content)
    SELECT id, message_id, sender_id, 'widget', content
    FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[]) AS w (id, message_id, sender_id, content)`,
});

/** Inserts the submessages of messages with a widget; sends no statement if there are none. */
export async function storeWidgets(tx: Tx, messages: readonly NumberedMessage[]): Promise<void> {
  const widgets = messages.flatMap((message) => widgetSubmessage(message) ?? []);
  if (widgets.length === 0) return;
  await tx.rows(insert, [
    packed.bigints(widgets.map(({ id }) => id)),
    packed.bigints(widgets.map(({ messageId }) => messageId)),
    packed.ints(widgets.map(({ senderId }) => senderId)),
    packed.texts(widgets.map(({ content }) => content)),
  ]);
}

/** The submessage of a message with a widget. */
export function widgetSubmessage(message: NumberedMessage): Submessage | undefined {
  const { id: messageId, sender, widget, widgetId } = message;
  if (widget === undefined || widgetId === undefined) return undefined;
  return { id: widgetId, messageId, senderId: sender.id, type: "widget", content: widget };
}
