import { type NewEvent, topicPolicyChanged } from "@carillon/contract";

/** What an account wants of a topic by now, as it is stored. */
interface ToldPolicy {
  readonly userId: number;
  readonly channelId: number;
  readonly topic: string;
  readonly policy: number;
  /** UNIX time in seconds. */
  readonly lastUpdated: number;
}

/** What the account itself is told of its new policy for a topic. */
export function topicPolicyEvent(change: ToldPolicy): NewEvent {
  const { userId, channelId, topic, policy, lastUpdated } = change;
  return topicPolicyChanged(
    {
      stream_id: channelId,
      topic_name: topic,
      visibility_policy: policy,
      last_updated: lastUpdated,
    },
    { audience: [userId] },
  );
}
