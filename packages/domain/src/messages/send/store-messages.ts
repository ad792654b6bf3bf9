import { isAway, type NumberedMessage, directTopic, visibilityPolicy } from "@carillon/model";
import { packed, statement, type Statement } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import { renderVersion, searchText } from "@carillon/markdown";

import { contentVector, topicVector, topicWords } from "../search/search-vector.ts";
import type { Receivers } from "./audience.ts";
import type { ReceiverFlags } from "./receiver-flags.ts";

/**
 * Inserts messages, and parses the words of each topic once. Fails if a `scheduled_message_id` or an `outgoing_call_id`
 * exists, which are unique.
 */
export const insertMessages = statement({
  name: "messages-insert",
  text: `INSERT INTO messages (id, realm_id, scheduled_message_id, sender_id, recipient_id, is_channel, topic, content,
      rendered_content, render_version, sent_at, client_id, has_link, has_image, has_attachment, outgoing_call_id, search)
    SELECT m.id, $1, m.scheduled_message_id, m.sender_id, m.recipient_id, m.is_channel, m.topic, m.content,
      m.rendered, $2, now(), m.client_id, m.has_link, m.has_image, m.has_attachment, m.outgoing_call_id,
      topics.vectors[m.topic_place] || ${contentVector("m.content_words")}
    FROM unnest($3::bigint[], $4::bigint[], $5::int[], $6::int[], $7::bool[], $8::text[], $9::text[], $10::text[],
        $11::int[], $12::bool[], $13::bool[], $14::bool[], $15::int[], $16::text[], $18::bigint[])
      AS m (id, scheduled_message_id, sender_id, recipient_id, is_channel, topic, content, rendered,
        client_id, has_link, has_image, has_attachment, topic_place, content_words, outgoing_call_id),
      (SELECT array_agg(${topicVector("t.words")} ORDER BY t.place) AS vectors
        FROM unnest($17::text[]) WITH ORDINALITY AS t (words, place)) AS topics`,
});

/** Makes the values of {@link insertMessages}. */
export async function messageValues(
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<unknown[]> {
  const words = await inSlices(messages, ({ rendered }) => searchText(rendered.html));
  const ofEach = <T>(value: (message: NumberedMessage) => T) => messages.map(value);
  const places = new Map<string, number>();
  const placeOf = (topic: string) => {
    const place = places.get(topic) ?? places.size + 1;
    places.set(topic, place);
    return place;
  };
  const topicPlaces = ofEach(({ target, topic }) =>
    placeOf(target.kind === "channel" ? topic : ""),
  );
  return [
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
    packed.ints(topicPlaces),
    packed.texts(words),
    packed.texts([...places.keys()].map(topicWords)),
    packed.bigints(ofEach(({ outgoingCallId }) => outgoingCallId ?? null)),
  ];
}

/**
 * Inserts the receivers' copies of messages with their flags, ordered by receiver, as the indexes are: ordered by message,
 * the insertion took twice as long.
 */
export const insertCopies = statement({
  name: "user-messages-insert",
  text: `INSERT INTO user_messages (user_id, message_id, flags)
    SELECT receiver.id, m.id, coalesce(x.flags, m.flags)
    FROM unnest($1::bigint[], $2::text[], $3::int[]) AS m (id, audience, flags)
    CROSS JOIN LATERAL unnest(m.audience::int[]) AS receiver (id)
    LEFT JOIN unnest($4::bigint[], $5::int[], $6::int[]) AS x (message_id, user_id, flags)
      ON x.message_id = m.id AND x.user_id = receiver.id
    ORDER BY receiver.id, m.id`,
});

/**
 * Inserts the copies of messages when some receivers are away (docs/decisions/083). Receivers who are present (`$2`) get a
 * copy. Receivers who are away get one if it has flags of their own, or if they follow the topic, because this may notify
 * them. Accounts that begin to follow a topic because a message of the same batch mentions them (`$9` to `$11`) have no row
 * in `user_topics` yet: it is stored after the copies. They get copies of all messages of the topic in the batch, because
 * pushes and mails are decided after the commit. `$7` is the channel of a message with receivers who are away, and null for
 * other messages. If all receivers are present, {@link insertCopies} is used, so that sending costs no more. `OFFSET 0`
 * forces a lookup for each row.
 */
export const insertPresentCopies = statement({
  name: "user-messages-insert-present",
  text: `WITH m AS MATERIALIZED (
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::int[], $7::int[], $8::text[])
        AS m (id, present, flags, channel_id, topic)
    ), x AS MATERIALIZED (
      SELECT * FROM unnest($4::bigint[], $5::int[], $6::int[]) AS x (message_id, user_id, flags)
    ), concerned AS (
      SELECT m.id, m.channel_id, x.user_id FROM m JOIN x ON x.message_id = m.id WHERE m.channel_id IS NOT NULL
      UNION SELECT m.id, m.channel_id, t.user_id FROM m CROSS JOIN LATERAL (
        SELECT t.user_id FROM user_topics t WHERE t.channel_id = m.channel_id AND lower(t.topic) = lower(m.topic)
          AND t.visibility_policy = ${visibilityPolicy.followed} OFFSET 0) t
      UNION SELECT m.id, m.channel_id, f.user_id
        FROM m JOIN unnest($9::int[], $10::text[], $11::int[]) AS f (channel_id, topic, user_id)
          ON f.channel_id = m.channel_id AND lower(f.topic) = lower(m.topic)
    ), receiver AS (
      SELECT m.id AS message_id, there.id AS user_id FROM m CROSS JOIN LATERAL unnest(m.present::int[]) AS there (id)
      UNION ALL SELECT c.id, c.user_id FROM concerned c CROSS JOIN LATERAL (
        SELECT FROM subscriptions s WHERE s.channel_id = c.channel_id AND s.user_id = c.user_id
          AND s.active AND s.is_user_active AND ${isAway} OFFSET 0) s
    )
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT receiver.user_id, m.id, coalesce(x.flags, m.flags)
    FROM receiver JOIN m ON m.id = receiver.message_id
    LEFT JOIN x ON x.message_id = receiver.message_id AND x.user_id = receiver.user_id
    ORDER BY receiver.user_id, m.id`,
});

/** A statement that inserts copies, with its values. */
export interface CopyInsertion {
  readonly statement: Statement<object>;
  readonly values: readonly unknown[];
}

/**
 * Chooses the statement that inserts the copies of messages, and makes its values. A message that mentions all subscribers
 * has flags in all copies, so all of them are inserted.
 */
export function copyInsertion(
  messages: readonly NumberedMessage[],
  receivers: readonly Receivers[],
  flags: readonly ReceiverFlags[],
): CopyInsertion {
  const isDeferred = (i: number) => receivers[i]!.present !== null && flags[i]!.all === 0;
  const values = copyValues(messages, receivers, flags);
  if (!messages.some((_, i) => isDeferred(i))) return { statement: insertCopies, values };
  return {
    statement: insertPresentCopies,
    values: [
      values[0],
      packed.texts(
        receivers.map(({ audience, present }, i) => (isDeferred(i) ? present : audience)),
      ),
      ...values.slice(2),
      packed.ints(
        messages.map(({ target }, i) =>
          isDeferred(i) && target.kind === "channel" ? target.channel.id : null,
        ),
      ),
      packed.texts(messages.map(({ topic }) => topic)),
      ...newFollowers(messages),
    ],
  };
}

/**
 * Returns `$9` to `$11` of {@link insertPresentCopies}: channels, topics, and mentioned accounts that want to follow topics
 * in which they are mentioned. Some may already follow or mute the topic; their copies do no harm.
 */
function newFollowers(messages: readonly NumberedMessage[]): unknown[] {
  const byKey = new Map<string, { channelId: number; topic: string; userId: number }>();
  for (const { target, topic, mentionedFollowers } of messages)
    if (target.kind === "channel")
      for (const userId of mentionedFollowers) {
        const channelId = target.channel.id;
        byKey.set(`${channelId} ${userId} ${topic}`, { channelId, topic, userId });
      }
  const followers = [...byKey.values()];
  return [
    packed.ints(followers.map(({ channelId }) => channelId)),
    packed.texts(followers.map(({ topic }) => topic)),
    packed.ints(followers.map(({ userId }) => userId)),
  ];
}

/** Makes the values of {@link insertCopies}. */
function copyValues(
  messages: readonly NumberedMessage[],
  receivers: readonly Receivers[],
  flags: readonly ReceiverFlags[],
): unknown[] {
  const exceptions = messages.flatMap(({ id }, i) =>
    [...flags[i]!.byUser].map(([userId, bits]) => ({ id, userId, bits })),
  );
  return [
    packed.bigints(messages.map(({ id }) => id)),
    packed.texts(receivers.map(({ audience }) => audience)),
    packed.ints(flags.map(({ all }) => all)),
    packed.bigints(exceptions.map(({ id }) => id)),
    packed.ints(exceptions.map(({ userId }) => userId)),
    packed.ints(exceptions.map(({ bits }) => bits)),
  ];
}
