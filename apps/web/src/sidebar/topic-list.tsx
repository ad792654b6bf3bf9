import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { routeOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { SidebarLink } from "./link.tsx";

/** How many topics are shown, the latest first. */
const shown = 12;

/** The latest topics of a channel. */
export function TopicList({ channelId }: { readonly channelId: number }) {
  const organization = useOrganization();
  const topics = useSignal<readonly string[]>([]);

  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      const answer = await organization.client.listTopics({
        stream_id: channelId,
        allow_empty_topic_name: true,
      });
      if (isCurrent) topics.value = answer.topics.map(({ name }) => name);
    };
    const loadQuietly = () => {
      load().catch(() => {
        // The next message of the channel loads them again.
      });
    };
    loadQuietly();
    const end = organization.listen((item) => {
      if (item.type === "message" && item.message.stream_id === channelId)
        topics.value = [item.message.subject, ...without(topics.value, item.message.subject)];
      else if (item.type === "update_message" && item.stream_id === channelId) loadQuietly();
      else if (item.type === "registered") loadQuietly();
    });
    return () => {
      isCurrent = false;
      end();
    };
  }, [organization, channelId]);

  const isChannelMuted = organization.channels.subscriptions.get(channelId)?.is_muted ?? false;
  return (
    <div class="topics">
      {topics.value.slice(0, shown).map((topic) => {
        const isMuted = organization.topicPolicies.isMuted(channelId, topic, isChannelMuted);
        return (
          <SidebarLink
            key={topic.toLowerCase()}
            to={routeOf({ channelId, topic }, organization.me)}
            unread={organization.unread.countOf({ channelId, topic })}
            class={isMuted && !isChannelMuted ? "sidebar-muted-topic" : ""}
          >
            <bdi>{topic || texts.sidebar.noTopic}</bdi>
          </SidebarLink>
        );
      })}
    </div>
  );
}

function without(topics: readonly string[], topic: string): string[] {
  return topics.filter((other) => other.toLowerCase() !== topic.toLowerCase());
}
