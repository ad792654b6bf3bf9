import { type NumberedMessage, directTopic } from "@carillon/model";
import { column, packed, statement, type Sql } from "@carillon/db";
import { renderVersion } from "@carillon/markdown";

import { searchTexts, searchVector } from "../search/search-vector.ts";
import type { Audience } from "./audience.ts";
import type { ReceiverFlags } from "./receiver-flags.ts";

/**
 * `scheduled_message_id` is unique: a row that is there already was sent before, and is not sent again.
 */
const insert = statement({
  name: "messages-insert",
  text: `INSERT INTO messages (id, realm_id, scheduled_message_id, sender_id, recipient_id, is_channel, topic, content,
      rendered_content, render_version, sent_at, client_id, has_link, has_image, has_attachment, search)
    SELECT m.id, $1, m.scheduled_message_id, m.sender_id, m.recipient_id, m.is_channel, m.topic, m.content,
      m.rendered, $2, now(), m.client_id, m.has_link, m.has_image, m.has_attachment,
      ${searchVector({ topic: "m.topic_words", content: "m.content_words" })}
    FROM unnest($3::bigint[], $4::bigint[], $5::int[], $6::int[], $7::bool[], $8::text[], $9::text[], $10::text[],
        $11::int[], $12::bool[], $13::bool[], $14::bool[], $15::text[], $16::text[])
      AS m (id, scheduled_message_id, sender_id, recipient_id, is_channel, topic, content, rendered,
        client_id, has_link, has_image, has_attachment, topic_words, content_words)
    ON CONFLICT (scheduled_message_id) DO NOTHING
    RETURNING id`,
  row: { id: column.bigint },
});

/** Writes the rows of the messages and returns the ids of those that had not been sent before. */
export async function insertMessages(
  sql: Sql,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<Set<number>> {
  const ofEach = <T>(value: (message: NumberedMessage) => T) => messages.map(value);
  const words = ofEach(({ target, topic, rendered }) =>
    searchTexts(target.kind === "channel" ? topic : "", rendered.html),
  );
  const rows = await sql.rows(insert, [
    realmId,
    renderVersion,
    packed.bigints(ofEach(({ id }) => id)),
    packed.bigints(ofEach(({ scheduledMessageId }) => scheduledMessageId ?? null)),
    packed.ints(ofEach(({ sender }) => sender.id)),
    packed.ints(ofEach(({ recipientId }) => recipientId)),
    packed.bools(ofEach(({ target }) => target.kind === "channel")),
    packed.texts(ofEach(({ target, topic }) => (target.kind === "channel" ? topic : directTopic))),
    packed.texts(ofEach(({ content }) => content)),
    packed.texts(ofEach(({ rendered }) => rendered.html)),
    packed.ints(ofEach(({ clientId }) => clientId)),
    packed.bools(ofEach(({ rendered }) => rendered.hasLink)),
    packed.bools(ofEach(({ rendered }) => rendered.hasImage)),
    packed.bools(ofEach(({ rendered }) => rendered.hasAttachment)),
    packed.texts(words.map(({ topicWords }) => topicWords)),
    packed.texts(words.map(({ contentWords }) => contentWords)),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** By receivers, as the indexes lie: in the order of the messages they took PostgreSQL twice as long. */
const copies = statement({
  name: "user-messages-insert",
  text: `INSERT INTO user_messages (user_id, message_id, flags)
    SELECT receiver.id, m.id, coalesce(x.flags, m.flags)
    FROM unnest($1::bigint[], $2::text[], $3::int[]) AS m (id, audience, flags)
    CROSS JOIN LATERAL unnest(m.audience::int[]) AS receiver (id)
    LEFT JOIN unnest($4::bigint[], $5::int[], $6::int[]) AS x (message_id, user_id, flags)
      ON x.message_id = m.id AND x.user_id = receiver.id
    ORDER BY receiver.id, m.id`,
  row: {},
});

/** Writes everybody's copies of the messages, with their flags. */
export async function insertCopies(
  sql: Sql,
  messages: readonly { message: NumberedMessage; audience: Audience; flags: ReceiverFlags }[],
): Promise<void> {
  const exceptions = messages.flatMap(({ message: { id }, flags }) =>
    [...flags.byUser].map(([userId, bits]) => [id, userId, bits] as const),
  );
  await sql.rows(copies, [
    packed.bigints(messages.map(({ message }) => message.id)),
    packed.texts(messages.map(({ audience }) => audience)),
    packed.ints(messages.map(({ flags }) => flags.all)),
    packed.bigints(exceptions.map(([id]) => id)),
    packed.ints(exceptions.map(([, userId]) => userId)),
    packed.ints(exceptions.map(([, , bits]) => bits)),
  ]);
}
