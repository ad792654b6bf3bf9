import type { ChannelReference, Inline } from "./document.ts";
import { escapeAttribute, escapeText } from "./escape.ts";
import { isUpload, localHref } from "./links/target.ts";
import { renderMath } from "./math.ts";
import { channelHtml, messageLinkHtml, topicHtml } from "./names-html.ts";
import { groupMention, userMention } from "./render-mention.ts";
import { resolveChannel } from "./resolve.ts";
import type { Rendering } from "./rendering.ts";

/** Where the picture of the built-in `:zulip:` lies. */
const BUILT_IN_EMOJI_URL = "/static/generated/emoji/images/emoji/unicode/zulip.png";

/** HTML of a line of text. */
export function renderInline(nodes: readonly Inline[], rendering: Rendering): string {
  let html = "";
  for (const node of nodes) html += renderNode(node, rendering);
  return html;
}

function renderNode(node: Inline, rendering: Rendering): string {
  switch (node.kind) {
    case "text":
      return escapeText(node.text);
    case "break":
      return "<br>\n";
    case "code":
      return `<code>${escapeText(node.text)}</code>`;
    case "html":
      return node.html;
    case "math":
      return renderMath(node.tex, rendering);
    case "link":
      return renderLink(node.href, node.label, rendering);
    case "user-mention":
      return userMention(node.user, node.silent, rendering);
    case "group-mention":
      return groupMention(node.group, node.silent, rendering);
    case "channel-wildcard":
      if (node.silent) return wildcard("user-mention channel-wildcard-mention silent", node.name);
      rendering.channelWildcard = true;
      return wildcard("user-mention channel-wildcard-mention", `@${node.name}`);
    case "topic-wildcard":
      if (node.silent) return `<span class="topic-mention silent">topic</span>`;
      rendering.topicWildcard = true;
      return `<span class="topic-mention">@topic</span>`;
    case "channel-link":
      return channelLink(node.target, rendering);
    case "custom-emoji":
      return customEmoji(node.name, rendering);
  }
}

function wildcard(classes: string, text: string): string {
  return `<span class="${classes}" data-user-id="*">${text}</span>`;
}

function renderLink(href: string, label: readonly Inline[], rendering: Rendering): string {
  const target = localHref(href, rendering.lookups.organizationUrl);
  rendering.hasLink = true;
  if (isUpload(target)) rendering.hasAttachment = true;
  return `<a href="${escapeAttribute(target)}">${renderInline(label, rendering)}</a>`;
}

function channelLink(target: ChannelReference, rendering: Rendering): string {
  const { lookups } = rendering;
  const channel = resolveChannel(target, lookups);
  if (channel === undefined) return escapeText(`#**${target.channel}**`);
  const { topic, messageId } = target;
  if (topic === undefined) return channelHtml(channel);
  const { emptyTopicDisplayName: emptyTopicName } = lookups;
  if (messageId !== undefined) return messageLinkHtml(channel, topic, emptyTopicName, messageId);
  const newest = lookups.newestMessageOfTopic(channel.id, topic);
  return topicHtml(channel, topic, { emptyTopicName, newest });
}

function customEmoji(name: string, rendering: Rendering): string {
  const url = rendering.lookups.customEmoji.get(name)?.url ?? BUILT_IN_EMOJI_URL;
  const label = name.replaceAll("_", " ");
  return `<img alt=":${name}:" class="emoji" src="${escapeAttribute(url)}" title="${label}">`;
}
