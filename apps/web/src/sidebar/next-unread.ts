import type { Route } from "../route.ts";
import { routeOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";

/** Returns the conversation whose oldest unread message is the oldest of all; muted topics are left out. */
export function nextUnread(organization: Organization): Route | undefined {
  const { unread, topicPolicies, channels, me } = organization;
  const groups = unread.groups().filter(({ conversation }) => {
    if ("others" in conversation) return true;
    const { channelId, topic } = conversation;
    const isChannelMuted = channels.subscriptions.get(channelId)?.is_muted ?? false;
    return !topicPolicies.isMuted(channelId, topic, isChannelMuted);
  });
  const [next] = groups
    .map(({ conversation, ids }) => ({ conversation, first: Math.min(...[...ids].slice(0, 100)) }))
    .toSorted((a, b) => a.first - b.first);
  return next && routeOf(next.conversation, me);
}
