import { escapeAttribute, escapeText } from "./escape.ts";
import { channelSlug, encodeComponent } from "./links/slug.ts";
import type { LinkableChannel } from "./types.ts";

/** How an account is mentioned (rendering.md §4). */
export function userMentionHtml(user: { id: number; fullName: string }, silent: boolean): string {
  const name = escapeText(user.fullName);
  return silent
    ? `<span class="user-mention silent" data-user-id="${user.id}">${name}</span>`
    : `<span class="user-mention" data-user-id="${user.id}">@${name}</span>`;
}

/** How a user group is mentioned. @param group its name as it is shown */
export function groupMentionHtml(group: { id: number; name: string }, silent: boolean): string {
  const name = escapeText(group.name);
  return silent
    ? `<span class="user-group-mention silent" data-user-group-id="${group.id}">${name}</span>`
    : `<span class="user-group-mention" data-user-group-id="${group.id}">@${name}</span>`;
}

/** Address of a channel within the organization (rendering.md §5). */
export function channelPath({ id, name }: LinkableChannel): string {
  return `/#narrow/channel/${channelSlug(id, name)}`;
}

/** How a channel is linked. */
export function channelHtml(channel: LinkableChannel): string {
  const href = escapeAttribute(channelPath(channel));
  return `<a class="stream" data-stream-id="${channel.id}" href="${href}">#${escapeText(channel.name)}</a>`;
}

/** Address of a topic within the organization. */
export function topicPath(channel: LinkableChannel, topic: string): string {
  return `${channelPath(channel)}/topic/${encodeComponent(topic)}`;
}

/** A channel's topic by its names; the empty one is called something. */
export function topicText(channel: LinkableChannel, topic: string, emptyTopicName: string): string {
  const shown = topic === "" ? `<em>${escapeText(emptyTopicName)}</em>` : escapeText(topic);
  return `#${escapeText(channel.name)} &gt; ${shown}`;
}

/** How a topic is linked. @param newest a message of it, by which the link finds it wherever it is moved */
export function topicHtml(
  channel: LinkableChannel,
  topic: string,
  {
    emptyTopicName,
    newest,
  }: { readonly emptyTopicName: string; readonly newest?: number | undefined },
): string {
  const anchor = newest === undefined ? "" : `/with/${newest}`;
  const href = `${escapeAttribute(topicPath(channel, topic))}${anchor}`;
  return `<a class="stream-topic" data-stream-id="${channel.id}" href="${href}">${topicText(channel, topic, emptyTopicName)}</a>`;
}

/** How a message of a channel is linked. */
export function messageLinkHtml(
  channel: LinkableChannel,
  topic: string,
  emptyTopicName: string,
  messageId: number,
): string {
  const href = escapeAttribute(`${topicPath(channel, topic)}/near/${messageId}`);
  return `<a class="message-link" href="${href}">${topicText(channel, topic, emptyTopicName)} @ 💬</a>`;
}
