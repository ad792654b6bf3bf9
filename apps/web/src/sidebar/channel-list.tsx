import { route } from "../navigation.ts";
import { operandOf } from "../route.ts";
import type { Organization } from "../store/organization.ts";
import type { UnreadGroup } from "../store/unread.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { groupChannels } from "./groups.ts";
import { SidebarLink } from "./link.tsx";
import { TopicList } from "./topic-list.tsx";

/** The channels of the account by folder. The channel of the current view shows its topics. */
export function ChannelList() {
  const organization = useOrganization();
  const { channels, unread } = organization;
  const counts = countsByChannel(unread.groups(), organization);
  const current = route.value.page === "messages" && operandOf(route.value.terms, "channel");
  return groupChannels(channels.subscriptions.all(), channels.folders.all()).map(
    ({ key, title, channels: group }) => (
      <section key={key} class="sidebar-section">
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {group.map(({ stream_id: id, name, is_muted }) => (
          <div key={id} class={is_muted ? "sidebar-muted" : undefined}>
            <SidebarLink
              to={{ page: "messages", terms: [{ operator: "channel", operand: id }], near: null }}
              unread={counts.get(id) ?? 0}
            >
              <span aria-hidden="true">#</span> <bdi>{name}</bdi>
              {is_muted && <span class="for-readers"> {texts.sidebar.muted}</span>}
            </SidebarLink>
            {current === id && <TopicList channelId={id} />}
          </div>
        ))}
      </section>
    ),
  );
}

/** Unread messages by channel, without those of muted topics. */
function countsByChannel(
  groups: readonly UnreadGroup[],
  { channels, topicPolicies }: Organization,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { conversation, ids } of groups) {
    if ("others" in conversation) continue;
    const { channelId, topic } = conversation;
    const isChannelMuted = channels.subscriptions.get(channelId)?.is_muted ?? false;
    if (topicPolicies.isMuted(channelId, topic, isChannelMuted)) continue;
    counts.set(channelId, (counts.get(channelId) ?? 0) + ids.size);
  }
  return counts;
}
