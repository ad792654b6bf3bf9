import { type NewEvent, topicPolicyChanged } from "@carillon/contract";

/** What an account wants of a topic by now, as it is stored. */
export interface ToldPolicy {
  readonly userId: number;
  readonly channelId: number;
  readonly topic: string;
  readonly policy: number;
  /** UNIX time in seconds. */
  readonly lastUpdated: number;
}

/** What the account itself is told of its new policy for a topic. */
export function topicPolicyEvent(change: ToldPolicy): NewEvent {
  return eventFor(change, [change.userId]);
}

/** The same for many accounts at once: one event for all who are told the same. */
export function topicPolicyEvents(changes: readonly ToldPolicy[]): NewEvent[] {
  const alike = new Map<string, { change: ToldPolicy; userIds: number[] }>();
  for (const change of changes) {
    const { userId, channelId, topic, policy, lastUpdated } = change;
    const key = JSON.stringify([channelId, policy, lastUpdated, topic]);
    const same = alike.get(key);
    if (same) same.userIds.push(userId);
    else alike.set(key, { change, userIds: [userId] });
  }
  return [...alike.values()].map(({ change, userIds }) =>
    eventFor(
      change,
      userIds.toSorted((a, b) => a - b),
    ),
  );
}

function eventFor(
  { channelId, topic, policy, lastUpdated }: Omit<ToldPolicy, "userId">,
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
