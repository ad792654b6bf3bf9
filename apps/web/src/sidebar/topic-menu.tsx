import { openLeaving } from "../overlay.ts";
import { toggleChannel, togglePolicy } from "../store/policies.ts";
import { topicPolicies } from "../store/topic-policies.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Icon } from "../ui/icon.tsx";

const t = texts.topic;

export interface TopicMenuProps {
  readonly channelId: number;
  /** Undefined for the channel as a whole. */
  readonly topic: string | undefined;
}

/** What can be done with a topic or a channel: muting, following, pinning, marking as read. */
export function TopicMenu({ channelId, topic }: TopicMenuProps) {
  const organization = useOrganization();
  const { channels, topicPolicies: policies, notices, client } = organization;
  const subscription = channels.subscriptions.get(channelId);
  const items: MenuItem[] = [];
  if (topic !== undefined) {
    const isMuted = policies.isMuted(channelId, topic, subscription?.is_muted ?? false);
    const isFollowed = policies.of(channelId, topic) === topicPolicies.followed;
    const toggle = (policy: "muted" | "followed") =>
      notices.attempt(togglePolicy(organization, channelId, topic, policy));
    items.push(
      { label: isMuted ? t.unmute : t.mute, onChoose: () => toggle("muted") },
      { label: isFollowed ? t.unfollow : t.follow, onChoose: () => toggle("followed") },
      {
        label: t.markRead,
        onChoose: () =>
          notices.attempt(client.markTopicAsRead({ stream_id: channelId, topic_name: topic })),
      },
    );
  } else
    items.push({
      label: t.markRead,
      onChoose: () => notices.attempt(client.markStreamAsRead({ stream_id: channelId })),
    });
  if (subscription)
    items.push(
      {
        label: subscription.is_muted ? t.unmuteChannel : t.muteChannel,
        onChoose: () =>
          notices.attempt(
            toggleChannel(organization, channelId, "is_muted", !subscription.is_muted),
          ),
      },
      {
        label: subscription.pin_to_top ? t.unpin : t.pin,
        onChoose: () =>
          notices.attempt(
            toggleChannel(organization, channelId, "pin_to_top", !subscription.pin_to_top),
          ),
      },
      { label: t.leaveChannel, onChoose: () => openLeaving(channelId) },
    );
  return (
    <Menu label={t.menu} items={items}>
      <Icon name="more" />
    </Menu>
  );
}
