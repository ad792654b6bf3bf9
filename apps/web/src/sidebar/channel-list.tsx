import { useComputed } from "@preact/signals";
import { memo } from "preact/compat";
import { route } from "../navigation.ts";
import { operandOf } from "../route.ts";
import type { Organization } from "../store/organization.ts";
import { unmutedUnread } from "../store/unmuted-unread.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { useWhenIdle } from "../ui/when-idle.ts";
import { beginningOf, type ChannelGroup, groupChannels } from "./groups.ts";
import { SidebarLink } from "./link.tsx";
import { TopicList } from "./topic-list.tsx";

/** Pixels of the lowest line of a channel. */
const lineHeight = 30;

/** The channels of the account by folder. The channel of the current view shows its topics. */
export function ChannelList() {
  const { channels } = useOrganization();
  const groups = useComputed(() =>
    groupChannels(channels.subscriptions.all(), channels.folders.all()),
  );
  return groups.value.length > 0 && <ChannelGroups groups={groups.value} />;
}

function ChannelGroups({ groups }: { readonly groups: readonly ChannelGroup[] }) {
  const counts = countsByChannel(useOrganization());
  const current = route.value.page === "messages" && operandOf(route.value.terms, "channel");
  // Draws only visible channels at first, so that the messages are drawn sooner.
  const shown = useWhenIdle() ? groups : beginningOf(groups, Math.ceil(innerHeight / lineHeight));
  return shown.map(({ key, title, channels: group }) => (
    <section key={key} class="sidebar-section">
      <h2>
        <bdi>{title}</bdi>
      </h2>
      {group.map(({ stream_id: id, name, is_muted }) => (
        <ChannelLine
          key={id}
          id={id}
          name={name}
          isMuted={is_muted}
          unread={counts.get(id) ?? 0}
          isCurrent={current === id}
        />
      ))}
    </section>
  ));
}

interface ChannelLineProps {
  readonly id: number;
  readonly name: string;
  readonly isMuted: boolean;
  readonly unread: number;
  readonly isCurrent: boolean;
}

/** The line of one channel. It is memoized, so that a new message redraws only the line whose count it changes. */
const ChannelLine = memo(({ id, name, isMuted, unread, isCurrent }: ChannelLineProps) => (
  <div class={isMuted ? "sidebar-muted" : undefined}>
    <SidebarLink
      to={{ page: "messages", terms: [{ operator: "channel", operand: id }], near: null }}
      unread={unread}
    >
      <span aria-hidden="true">#</span> <bdi>{name}</bdi>
      {isMuted && <span class="for-readers"> {texts.sidebar.muted}</span>}
    </SidebarLink>
    {isCurrent && <TopicList channelId={id} />}
  </div>
));

/** Unread messages by channel, without those of muted topics. */
function countsByChannel(organization: Organization): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { conversation, ids } of unmutedUnread(organization))
    if ("channelId" in conversation)
      counts.set(conversation.channelId, (counts.get(conversation.channelId) ?? 0) + ids.size);
  return counts;
}
