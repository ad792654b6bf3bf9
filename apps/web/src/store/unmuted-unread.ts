import type { Organization } from "./organization.ts";
import type { UnreadGroup } from "./unread.ts";

/** Returns the conversations with unread messages, except muted topics. */
export function unmutedUnread({ unread, topicPolicies, channels }: Organization): UnreadGroup[] {
  return unread.groups().filter(({ conversation }) => {
    if ("others" in conversation) return true;
    const { channelId, topic } = conversation;
    const isChannelMuted = channels.subscriptions.get(channelId)?.is_muted ?? false;
    return !topicPolicies.isMuted(channelId, topic, isChannelMuted);
  });
}
