import type { ChannelReference, Inline, UnsettledPiece } from "./document.ts";
import { escapeAttribute, escapeText } from "./escape.ts";
import { localHref, uploadPath } from "./links/target.ts";
import { renderMath } from "./math.ts";
import { channelHtml, messageLinkHtml, topicHtml } from "./names-html.ts";
import { groupMention, userMention } from "./render-mention.ts";
import { resolveChannel } from "./resolve.ts";
import { audioHtml, inlineImageHtml, isAudio } from "./previews/preview-html.ts";
import { takeMarkup, type Rendering } from "./rendering.ts";
import type { LinkedFile } from "./types.ts";

/** URL of the image of the built-in `:zulip:`. */
const BUILT_IN_EMOJI_URL = "/static/generated/emoji/images/emoji/unicode/zulip.png";

/** Returns the HTML of a node that needs no data of the organization; undefined for other nodes. */
export function settledHtml(node: Inline): string | undefined {
  switch (node.kind) {
    case "text":
      return escapeText(node.text);
    case "break":
      return "<br>\n";
    case "code":
      return `<code>${escapeText(node.text)}</code>`;
    case "html":
      return node.html;
    default:
      return undefined;
  }
}

function renderNodes(nodes: readonly Inline[], rendering: Rendering): string {
  let html = "";
  for (const node of nodes)
    html += settledHtml(node) ?? renderPiece(node as UnsettledPiece, rendering);
  return html;
}

/** Renders a piece that depends on the organization, and records mentions and contents. */
export function renderPiece(node: UnsettledPiece, rendering: Rendering): string {
  switch (node.kind) {
    case "math":
      return renderMath(node, rendering);
    case "element":
      return withinMarkupLimit(node.html, node.source, rendering);
    case "link":
      return renderLink(node, rendering);
    case "image":
      return renderImage(node, rendering);
    case "user-mention":
      return userMention(node, rendering);
    case "group-mention":
      return groupMention(node, rendering);
    case "channel-wildcard":
      return channelWildcard(node, rendering);
    case "topic-wildcard":
      return topicWildcard(node, rendering);
    case "channel-link":
      return withinMarkupLimit(channelLink(node.target, rendering), node.source, rendering);
    case "custom-emoji":
      return withinMarkupLimit(customEmoji(node.name, rendering), node.source, rendering);
  }
}

type Node<Kind extends Inline["kind"]> = Extract<Inline, { readonly kind: Kind }>;

/** Returns the HTML, or the source as text if the message has used up its markup allowance. */
function withinMarkupLimit(html: string, source: string, rendering: Rendering): string {
  return takeMarkup(rendering, html.length, source.length) ? html : escapeText(source);
}

function channelWildcard(
  { name, silent, source }: Node<"channel-wildcard">,
  rendering: Rendering,
): string {
  const html = silent
    ? wildcard("user-mention channel-wildcard-mention silent", name)
    : wildcard("user-mention channel-wildcard-mention", `@${name}`);
  if (!takeMarkup(rendering, html.length, source.length)) return escapeText(source);
  if (!silent) rendering.channelWildcard = true;
  return html;
}

function topicWildcard({ silent, source }: Node<"topic-wildcard">, rendering: Rendering): string {
  const html = silent
    ? `<span class="topic-mention silent">topic</span>`
    : `<span class="topic-mention">@topic</span>`;
  if (!takeMarkup(rendering, html.length, source.length)) return escapeText(source);
  if (!silent) rendering.topicWildcard = true;
  return html;
}

function wildcard(classes: string, text: string): string {
  return `<span class="${classes}" data-user-id="*">${text}</span>`;
}

function renderLink(node: Node<"link">, rendering: Rendering): string {
  const { href, label, isTyped } = node;
  const target = localHref(href, rendering.lookups.organizationUrl);
  const text = renderNodes(label, rendering);
  // A linkifier's URL may be 500 times as long as its match; a typed URL is part of the text.
  if (!isTyped && !takeMarkup(rendering, target.length, text.length)) return text;
  rendering.hasLink = true;
  const [path, file] = uploadOf(target, rendering);
  if (file) {
    rendering.uploadPaths.add(path);
    rendering.previews.add(path, file, node);
  }
  return `<a href="${escapeAttribute(target)}">${text}</a>`;
}

/** Renders `![alt](…)` of an uploaded file: an image or a player, else the link. */
function renderImage({ alt, link }: Node<"image">, rendering: Rendering): string {
  const target = localHref(link.href, rendering.lookups.organizationUrl);
  if (!isLocal(target)) return `!${renderLink(link, rendering)}`;
  const [path, file] = uploadOf(target, rendering);
  const html = file && shownInPlace(path, file, alt);
  if (!html) return renderLink(link, rendering);
  if (!takeMarkup(rendering, html.length, alt.length + target.length))
    return renderLink({ ...link, isQuoted: true }, rendering);
  rendering.uploadPaths.add(path);
  if (file.image !== undefined) rendering.previews.note(path, file);
  return html;
}

function shownInPlace(path: string, file: LinkedFile, alt: string): string | undefined {
  if (file.image !== undefined) return inlineImageHtml(path, file.mediaType, file.image, alt);
  return isAudio(file) ? audioHtml(path, alt) : undefined;
}

/** Returns the uploaded file that a target of {@link localHref} leads to, if the author may read it. */
function uploadOf(
  target: string,
  { lookups }: Rendering,
): [path: string, file: LinkedFile | undefined] {
  const path = (isLocal(target) ? uploadPath(target) : undefined) ?? "";
  return [path, lookups.uploads.get(path)];
}

/** Whether a target of {@link localHref} leads into this organization. */
function isLocal(target: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(target);
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
