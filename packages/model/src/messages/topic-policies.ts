import { type NewEvent, topicPolicyChanged } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import type { Fragment } from "../sql-values.ts";
import type { Reader } from "./access.ts";

/** Visibility policies of topics; a missing row means inherit. */
export const visibilityPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

const { inherit, muted, unmuted, followed } = visibilityPolicy;

/**
 * SQL: whether the viewer has muted the topic of the message `m` (messages.md §2.4); with `channels`, also whether its
 * channel is muted and the topic is neither unmuted nor followed.
 */
export function isMuted(viewer: Reader, { channels }: { channels: boolean }): Fragment {
  return (values) => {
    const me = values.add(viewer.id, "int");
    const policyOf = `SELECT t.visibility_policy FROM user_topics t
      WHERE t.user_id = ${me} AND t.channel_id = r.channel_id AND lower(t.topic) = lower(m.topic)`;
    const channelMuted = channels
      ? `OR EXISTS (SELECT 1 FROM subscriptions s
          WHERE s.channel_id = r.channel_id AND s.user_id = ${me} AND s.active AND s.is_muted)
        AND coalesce((${policyOf}), ${inherit}) NOT IN (${unmuted}, ${followed})`
      : "";
    return `m.is_channel AND EXISTS (SELECT 1 FROM recipients r WHERE r.id = m.recipient_id AND (
      coalesce((${policyOf}), ${inherit}) = ${muted} ${channelMuted}) OFFSET 0)`;
  };
}

/** SQL: whether the viewer follows the topic of the message `m`. */
export function isFollowed(viewer: Reader): Fragment {
  return (values) => `m.is_channel AND EXISTS (
    SELECT 1 FROM recipients r JOIN user_topics t ON t.channel_id = r.channel_id
    WHERE r.id = m.recipient_id AND t.user_id = ${values.add(viewer.id, "int")}
      AND lower(t.topic) = lower(m.topic) AND t.visibility_policy = ${followed} OFFSET 0)`;
}

/** An account's stored policy of a topic. */
interface TopicPolicyChange {
  readonly userId: number;
  readonly channelId: number;
  readonly topic: string;
  readonly policy: number;
  /** UNIX time in seconds. */
  readonly lastUpdated: number;
}

/** Sorts rows in the order in which moves of topics lock them, so that the two cannot deadlock. */
const storePolicies = statement({
  name: "topic-visibility-store",
  text: `INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
    SELECT user_id, channel_id, topic, policy
    FROM unnest($1::int[], $2::int[], $3::text[], $4::smallint[]) AS w (user_id, channel_id, topic, policy)
    ORDER BY user_id, channel_id, lower(topic)
    ON CONFLICT (user_id, channel_id, lower(topic))
      DO UPDATE SET visibility_policy = excluded.visibility_policy, last_updated = now()
    RETURNING user_id AS "userId", channel_id AS "channelId", topic, visibility_policy AS policy,
      extract(epoch FROM last_updated)::int AS "lastUpdated"`,
});

/** Stores policies of topics, whatever was stored before. */
export async function storeTopicPolicies(
  tx: Tx,
  changes: ReadonlyArray<Omit<TopicPolicyChange, "lastUpdated">>,
): Promise<TopicPolicyChange[]> {
  if (changes.length === 0) return [];
  return tx.rows(storePolicies, [
    changes.map(({ userId }) => userId),
    changes.map(({ channelId }) => channelId),
    changes.map(({ topic }) => topic),
    changes.map(({ policy }) => policy),
  ]);
}

/** Makes the event of an account's new policy, for the account itself. */
export function topicPolicyEvent(change: TopicPolicyChange): NewEvent {
  return eventFor(change, [change.userId]);
}

/** Makes the events of many accounts' new policies: one for all accounts with the same policy of the same topic. */
export function topicPolicyEvents(changes: readonly TopicPolicyChange[]): NewEvent[] {
  const groups = new Map<string, { change: TopicPolicyChange; userIds: number[] }>();
  for (const change of changes) {
    const { userId, channelId, topic, policy, lastUpdated } = change;
    const key = JSON.stringify([channelId, policy, lastUpdated, topic]);
    const group = groups.get(key);
    if (group) group.userIds.push(userId);
    else groups.set(key, { change, userIds: [userId] });
  }
  return [...groups.values()].map(({ change, userIds }) =>
    eventFor(
      change,
      userIds.toSorted((a, b) => a - b),
    ),
  );
}

function eventFor(
  { channelId, topic, policy, lastUpdated }: Omit<TopicPolicyChange, "userId">,
  audience: readonly number[],
): NewEvent {
  return topicPolicyChanged(
    {
      stream_id: channelId,
      topic_name: topic,
      visibility_policy: policy,
      last_updated: lastUpdated,
    },
    { audience },
  );
}
