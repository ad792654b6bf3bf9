import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import { setting } from "../settings/setting.ts";
import type { Account } from "../users/account.ts";
import type { NumberedMessage } from "./outgoing.ts";
import { topicName } from "./topics.ts";

/** What a user wants of a topic; no row means inherit. */
export const visibilityPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

/** Values of the two settings that raise a policy by sending. */
const when = { participates: 1, sends: 2, starts: 3, never: 4 } as const;

interface TopicState {
  userId: number;
  recipientId: number;
  topic: string;
  policy: number | null;
  /** Whether it has an earlier message that the user can see; only looked at where there is no policy. */
  begun: boolean;
}

interface Change {
  userId: number;
  channelId: number;
  topic: string;
  policy: number;
}

/**
 * Raises topic policies as sending does (scheduled-messages.md §6): of human senders by their settings, of people
 * who are mentioned if they want to follow where they are. Policies are only raised.
 *
 * @returns for each message the sender's new policy, undefined where it did not change, and the events
 */
export async function raiseVisibility(
  tx: Tx,
  messages: readonly NumberedMessage[],
  mentioned: ReadonlyMap<number, Account>,
): Promise<{ policies: Array<number | undefined>; events: NewEvent[] }> {
  const concerned = messages.map((message) => concernedBy(message, mentioned));
  const states = await loadStates(tx, messages, concerned);
  const policies: Array<number | undefined> = [];
  const changes = new Map<string, Change>();
  const begunHere = new Set<string>();
  for (const [i, message] of messages.entries()) {
    policies.push(undefined);
    if (message.target.kind !== "channel") continue;
    const { channel } = message.target;
    const topic = topicName({ recipientId: message.recipientId, topic: message.topic });
    for (const account of concerned[i] ?? []) {
      const key = `${account.id}:${topic}`;
      const state = states.get(key);
      const current = state?.policy ?? visibilityPolicy.inherit;
      const begun = state?.begun === true || begunHere.has(topic);
      const next =
        account.id === message.sender.id
          ? raisedBySending(account, current, begun, channel.subscribed.get(account.id)?.isMuted === true)
          : raisedByMention(current);
      if (next === undefined) continue;
      states.set(key, { ...(state ?? newState(account.id, message)), policy: next });
      changes.set(key, { userId: account.id, channelId: channel.id, topic: message.topic, policy: next });
      if (account.id === message.sender.id) policies[i] = next;
    }
    begunHere.add(topic);
  }
  return { policies, events: await store(tx, [...changes.values()]) };
}

/** The accounts whose policy the message may raise: its human sender, and mentioned people who wish it. */
function concernedBy(message: NumberedMessage, mentioned: ReadonlyMap<number, Account>): Account[] {
  if (message.target.kind !== "channel") return [];
  const sender = message.sender.isBot ? [] : [message.sender];
  const others = message.rendered.mentionedUserIds.flatMap((id) => {
    const account = mentioned.get(id);
    if (!account || account.isBot || id === message.sender.id) return [];
    return setting(account, "automatically_follow_topics_where_mentioned") ? [account] : [];
  });
  return [...sender, ...others];
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
  if (wants(setting(sender, "automatically_follow_topics_policy"))) return visibilityPolicy.followed;
  if (!channelIsMuted || current === visibilityPolicy.unmuted) return undefined;
  return wants(setting(sender, "automatically_unmute_topics_in_muted_streams_policy"))
    ? visibilityPolicy.unmuted
    : undefined;
}

function raisedByMention(current: number): number | undefined {
  const untouched = current !== visibilityPolicy.followed && current !== visibilityPolicy.muted;
  return untouched ? visibilityPolicy.followed : undefined;
}

function newState(userId: number, message: NumberedMessage): TopicState {
  return { userId, recipientId: message.recipientId, topic: message.topic, policy: null, begun: false };
}

const stateOf = {
  name: "topic-visibility-states",
  text: `SELECT w.user_id AS "userId", w.recipient_id AS "recipientId", w.topic,
      ut.visibility_policy AS policy,
      ut.id IS NULL AND EXISTS (
        SELECT 1 FROM messages m
        WHERE m.recipient_id = w.recipient_id AND m.is_channel AND lower(m.topic) = lower(w.topic) AND m.id < $5
          AND (w.shared OR EXISTS (SELECT 1 FROM user_messages um WHERE um.user_id = w.user_id AND um.message_id = m.id))
      ) AS begun
    FROM unnest($1::int[], $2::int[], $3::int[], $4::text[], $6::bool[])
      AS w (user_id, recipient_id, channel_id, topic, shared)
    LEFT JOIN user_topics ut
      ON ut.user_id = w.user_id AND ut.channel_id = w.channel_id AND lower(ut.topic) = lower(w.topic)`,
};

async function loadStates(
  tx: Tx,
  messages: readonly NumberedMessage[],
  concerned: readonly Account[][],
): Promise<Map<string, TopicState>> {
  const wanted = new Map<string, [number, number, number, string, boolean]>();
  for (const [i, { target, recipientId, topic }] of messages.entries()) {
    if (target.kind !== "channel") continue;
    for (const { id } of concerned[i] ?? []) {
      const key = `${id}:${topicName({ recipientId, topic })}`;
      const { channel } = target;
      wanted.set(key, [id, recipientId, channel.id, topic, channel.historyPublicToSubscribers]);
    }
  }
  if (wanted.size === 0) return new Map();
  const list = [...wanted.values()];
  const first = Math.min(...messages.map(({ id }) => id));
  const rows = await tx.rows<TopicState>(stateOf, [
    list.map(([userId]) => userId),
    list.map(([, recipientId]) => recipientId),
    list.map(([, , channelId]) => channelId),
    list.map(([, , , topic]) => topic),
    first,
    list.map(([, , , , shared]) => shared),
  ]);
  return new Map(rows.map((row) => [`${row.userId}:${topicName(row)}`, row]));
}

async function store(tx: Tx, changes: readonly Change[]): Promise<NewEvent[]> {
  if (changes.length === 0) return [];
  // In one order everywhere, so that two batches never wait for each other's rows.
  const ordered = changes.toSorted(
    (a, b) => a.userId - b.userId || a.channelId - b.channelId || (a.topic < b.topic ? -1 : 1),
  );
  const rows = await tx.rows<Change & { lastUpdated: number }>(
    {
      name: "topic-visibility-store",
      text: `INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
        SELECT * FROM unnest($1::int[], $2::int[], $3::text[], $4::smallint[])
        ON CONFLICT (user_id, channel_id, lower(topic))
          DO UPDATE SET visibility_policy = excluded.visibility_policy, last_updated = now()
        RETURNING user_id AS "userId", channel_id AS "channelId", topic, visibility_policy AS policy,
          extract(epoch FROM last_updated)::int AS "lastUpdated"`,
    },
    [
      ordered.map(({ userId }) => userId),
      ordered.map(({ channelId }) => channelId),
      ordered.map(({ topic }) => topic),
      ordered.map(({ policy }) => policy),
    ],
  );
  return rows.map(({ userId, channelId, topic, policy, lastUpdated }) => ({
    type: "user_topic",
    payload: {
      stream_id: channelId,
      topic_name: topic,
      visibility_policy: policy,
      last_updated: lastUpdated,
    },
    audience: [userId],
  }));
}
