import {
  type Account,
  type Folding,
  type NumberedMessage,
  type TopicKey,
  hasProtectedHistory,
  loadFolding,
  setting,
  storeTopicPolicies,
  foldedTopicKey,
  topicPolicyEvent,
  exactTopicKey,
  visibilityPolicy,
} from "@carillon/model";
import { packed, statement, notNull, type RowOf, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

/** Values of the two settings that raise a policy by sending. */
const when = { participates: 1, sends: 2, starts: 3, never: 4 } as const;

interface Change {
  userId: number;
  channelId: number;
  topic: string;
  policy: number;
}

/**
 * Raises topic policies after sending (scheduled-messages.md §6): policies of human senders by their settings, and
 * policies of mentioned users who follow topics that mention them. Never lowers a policy.
 *
 * @returns the sender's new policy for each message, undefined if it did not change, and the events
 */
export async function raiseVisibility(
  tx: Tx,
  messages: readonly NumberedMessage[],
): Promise<{ policies: Array<number | undefined>; events: NewEvent[] }> {
  const [folding, stored, earlier] = await Promise.all([
    loadFolding(
      tx,
      messages.map(({ topic }) => topic),
    ),
    loadPolicies(tx, messages),
    findBegun(tx, messages),
  ]);
  const policies = new Map(
    stored.map(({ userId, policy, ...topic }) => [policyKey(userId, topic, folding), policy]),
  );
  const begun = new Set(earlier.map((message) => begunKey(message, folding)));
  const raised: Array<number | undefined> = [];
  const changes = new Map<string, Change>();
  for (const message of messages) {
    raised.push(undefined);
    if (message.target.kind !== "channel") continue;
    const { channel } = message.target;
    const raise = (userId: number, policy: number | undefined) => {
      if (policy === undefined) return;
      const key = policyKey(userId, message, folding);
      policies.set(key, policy);
      changes.set(key, { userId, channelId: channel.id, topic: message.topic, policy });
      if (userId === message.sender.id) raised[raised.length - 1] = policy;
    };
    const current = (userId: number) =>
      policies.get(policyKey(userId, message, folding)) ?? visibilityPolicy.inherit;
    const { sender } = message;
    if (!sender.isBot) {
      const isMuted = channel.subscribed.get(sender.id)?.isMuted === true;
      raise(
        sender.id,
        raisedBySending(sender, current(sender.id), begun.has(begunKey(message, folding)), isMuted),
      );
    }
    for (const id of message.mentionedFollowers) raise(id, raisedByMention(current(id)));
    begun.add(begunKey(message, folding));
  }
  const changed = await storeTopicPolicies(tx, [...changes.values()]);
  return { policies: raised, events: changed.map(topicPolicyEvent) };
}

function raisedBySending(
  sender: Account,
  current: number,
  begun: boolean,
  channelIsMuted: boolean,
): number | undefined {
  if (current === visibilityPolicy.followed) return undefined;
  const started = !begun && current === visibilityPolicy.inherit;
  const wants = (value: number) =>
    value === when.participates || value === when.sends || (value === when.starts && started);
  if (wants(setting(sender, "automatically_follow_topics_policy")))
    return visibilityPolicy.followed;
  if (!channelIsMuted || current === visibilityPolicy.unmuted) return undefined;
  return wants(setting(sender, "automatically_unmute_topics_in_muted_streams_policy"))
    ? visibilityPolicy.unmuted
    : undefined;
}

function raisedByMention(current: number): number | undefined {
  const untouched = current !== visibilityPolicy.followed && current !== visibilityPolicy.muted;
  return untouched ? visibilityPolicy.followed : undefined;
}

function policyKey(userId: number, topic: TopicKey, folding: Folding): string {
  return `${userId}:${foldedTopicKey(topic, folding)}`;
}

/** Includes the sender: if history is protected, a topic exists for some users only. */
function begunKey(message: NumberedMessage, folding: Folding): string {
  return forWhom(message, foldedTopicKey(message, folding));
}

function forWhom({ sender, target }: NumberedMessage, name: string): string {
  return isProtected(target) ? `for ${sender.id}:${name}` : name;
}

function isProtected(target: NumberedMessage["target"]): boolean {
  return target.kind === "channel" && hasProtectedHistory(target.channel);
}

/** `OFFSET 0` forces a lookup for each row: if PostgreSQL estimates the table to be small, it would scan all of it. */
const policiesOf = statement({
  name: "topic-policies",
  text: `SELECT w.user_id AS "userId", w.recipient_id AS "recipientId", w.topic, t.policy
    FROM unnest($1::int[], $2::int[], $3::int[], $4::text[]) AS w (user_id, recipient_id, channel_id, topic)
    CROSS JOIN LATERAL (
      SELECT visibility_policy AS policy FROM user_topics
      WHERE user_id = w.user_id AND channel_id = w.channel_id AND lower(topic) = lower(w.topic) OFFSET 0
    ) t`,
  overrides: { userId: notNull, recipientId: notNull, topic: notNull },
});

/** Reads the explicit policies of senders and mentioned users; topics are spelled as in the messages. */
async function loadPolicies(
  tx: Tx,
  messages: readonly NumberedMessage[],
): Promise<Array<RowOf<typeof policiesOf>>> {
  const wanted = new Map<string, { userId: number; message: NumberedMessage; channelId: number }>();
  for (const message of messages) {
    const { target, sender } = message;
    if (target.kind !== "channel") continue;
    for (const userId of [...(sender.isBot ? [] : [sender.id]), ...message.mentionedFollowers])
      wanted.set(`${userId}:${exactTopicKey(message)}`, {
        userId,
        message,
        channelId: target.channel.id,
      });
  }
  if (wanted.size === 0) return [];
  const list = [...wanted.values()];
  return tx.rows(policiesOf, [
    packed.ints(list.map(({ userId }) => userId)),
    packed.ints(list.map(({ message }) => message.recipientId)),
    packed.ints(list.map(({ channelId }) => channelId)),
    packed.texts(list.map(({ message }) => message.topic)),
  ]);
}

/** `OFFSET 0` forces a lookup for each row, as in {@link policiesOf}. */
const begunTopics = statement({
  name: "begun-topics",
  text: `SELECT w.ord FROM unnest($1::int[], $2::text[], $3::int[], $4::bool[])
      WITH ORDINALITY AS w (recipient_id, topic, sender_id, protected, ord)
    WHERE EXISTS (
      SELECT 1 FROM messages m
      WHERE m.recipient_id = w.recipient_id AND m.is_channel AND lower(m.topic) = lower(w.topic) AND m.id < $5
        AND (NOT w.protected
             OR EXISTS (SELECT 1 FROM user_messages um WHERE um.user_id = w.sender_id AND um.message_id = m.id))
      OFFSET 0)`,
  overrides: { ord: notNull },
});

/**
 * Finds topics with an earlier message that the sender can see. The policies may make this statement unnecessary, but to
 * wait for them would cost more than to send both statements together.
 */
async function findBegun(tx: Tx, messages: readonly NumberedMessage[]): Promise<NumberedMessage[]> {
  const topics = new Map<string, NumberedMessage>();
  for (const message of messages)
    if (message.target.kind === "channel" && !message.sender.isBot)
      topics.set(forWhom(message, exactTopicKey(message)), message);
  if (topics.size === 0) return [];
  const list = [...topics.values()];
  const rows = await tx.rows(begunTopics, [
    packed.ints(list.map(({ recipientId }) => recipientId)),
    packed.texts(list.map(({ topic }) => topic)),
    packed.ints(list.map(({ sender }) => sender.id)),
    packed.bools(list.map(({ target }) => isProtected(target))),
    messages[0]!.id,
  ]);
  return rows.map(({ ord }) => list[ord - 1]!);
}
