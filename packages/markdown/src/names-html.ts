import { escapeAttribute, escapeText } from "./escape.ts";
import { channelSlug, encodeComponent } from "./links/slug.ts";
import type { LinkableChannel } from "./types.ts";

/** Returns the HTML of a user mention (rendering.md §4). */
export function userMentionHtml(user: { id: number; fullName: string }, silent: boolean): string {
  const name = escapeText(user.fullName);
  return silent
    ? `<span class="user-mention silent" data-user-id="${user.id}">${name}</span>`
    : `<span class="user-mention" data-user-id="${user.id}">@${name}</span>`;
}

/** Returns the HTML of a group mention. @param group with its display name */
export function groupMentionHtml(group: { id: number; name: string }, silent: boolean): string {
  const name = escapeText(group.name);
  return silent
    ? `<span class="user-group-mention silent" data-user-group-id="${group.id}">${name}</span>`
    : `<span class="user-group-mention" data-user-group-id="${group.id}">@${name}</span>`;
}

/** Returns the path of a channel within the organization (rendering.md §5). */
function channelPath({ id, name }: LinkableChannel): string {
  return `/#narrow/channel/${channelSlug(id, name)}`;
}

/** Returns the HTML of a link to a channel. */
export function channelHtml(channel: LinkableChannel): string {
  const href = escapeAttribute(channelPath(channel));
  return `<a class="stream" data-stream-id="${channel.id}" href="${href}">#${escapeText(channel.name)}</a>`;
}

/** Returns the path of a topic within the organization. */
export function topicPath(channel: LinkableChannel, topic: string): string {
  return `${channelPath(channel)}/topic/${encodeComponent(topic)}`;
}

/** Returns a topic's display text; the empty topic has a name. */
function topicText(channel: LinkableChannel, topic: string, emptyTopicName: string): string {
  const shown = topic === "" ? `<em>${escapeText(emptyTopicName)}</em>` : escapeText(topic);
  return `#${escapeText(channel.name)} &gt; ${shown}`;
}

/**
 * Returns the HTML of a link to a topic.
 * @param options `newest`: id of a message of the topic, through which the link still finds the topic after a move
 */
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

/** Returns the HTML of a link to a message of a channel. */
export function messageLinkHtml(
  channel: LinkableChannel,
  topic: string,
  emptyTopicName: string,
  messageId: number,
): string {
  const href = escapeAttribute(`${topicPath(channel, topic)}/near/${messageId}`);
  return `<a class="message-link" href="${href}">${topicText(channel, topic, emptyTopicName)} @ 💬</a>`;
}
