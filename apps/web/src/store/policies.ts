import type { Organization } from "../store/organization.ts";
import { topicPolicies } from "../store/topic-policies.ts";

/** Mutes or follows a topic, or ends that. A topic of a muted channel needs the policy "unmuted" to be unmuted. */
export async function togglePolicy(
  { client, topicPolicies: policies, channels }: Organization,
  channelId: number,
  topic: string,
  policy: "muted" | "followed",
): Promise<void> {
  const { inherit, muted, unmuted, followed } = topicPolicies;
  const isChannelMuted = channels.subscriptions.get(channelId)?.is_muted ?? false;
  const isMuted = policies.isMuted(channelId, topic, isChannelMuted);
  const ofMute = isMuted ? (isChannelMuted ? unmuted : inherit) : isChannelMuted ? inherit : muted;
  const isFollowed = policies.of(channelId, topic) === followed;
  await client.setTopicPolicy({
    stream_id: channelId,
    topic,
    visibility_policy: policy === "muted" ? ofMute : isFollowed ? inherit : followed,
  });
}

export async function toggleChannel(
  { client }: Organization,
  channelId: number,
  property: "is_muted" | "pin_to_top",
  value: boolean,
): Promise<void> {
  await client.updateSubscriptionProperties({
    subscription_data: [{ stream_id: channelId, property, value }],
  });
}
