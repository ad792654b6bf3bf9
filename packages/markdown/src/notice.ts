import { escapeAttribute, escapeText } from "./escape.ts";
import {
  channelHtml,
  groupMentionHtml,
  messageLinkHtml,
  topicHtml,
  topicPath,
  userMentionHtml,
} from "./names-html.ts";
import type { LinkableChannel } from "./types.ts";

/**
 * A part of a notice: its Markdown, which clients show for quoting, and its HTML. Neither is derived from the other, so
 * that no character of a name acts as markup (rendering.md, names in notices).
 */
export interface NoticePart {
  readonly source: string;
  readonly html: string;
}

/** A system bot's message, ready to be stored. */
export interface Notice {
  readonly content: string;
  readonly html: string;
}

/** Matches a name that contains nothing that could be markup, a URL or an emoji. */
const PLAIN_NAME =
  /^(?!.*[\ufe0f\u20e3])[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_'\u2019,!?()/+&=%-]| (?! ))*$/u;
/**
 * Matches text within a paragraph that contains nothing that could be markup: like {@link PLAIN_NAME}, with punctuation.
 */
const PLAIN_SENTENCES =
  /^(?!.*[\ufe0f\u20e3])[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_'\u2019"\u201c\u201d,!?()/+&=%-]|[.:;](?= |$)| (?! ))*$/u;
/** Characters that cannot be in one line. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029]+/gu;

/** Mentions an account silently. After a rename the mention is bold text, without other markup. */
export function silentUser({ id, fullName }: { id: number; fullName: string }): NoticePart {
  const name = PLAIN_SENTENCES.test(fullName) ? fullName : "";
  return { source: `@_**${name}|${id}**`, html: userMentionHtml({ id, fullName }, true) };
}

/** Mentions a user group silently. */
export function silentGroup({ id, name }: { id: number; name: string }): NoticePart {
  const source = PLAIN_SENTENCES.test(name) ? `@_*${name}*` : code(name);
  return { source, html: groupMentionHtml({ id, name }, true) };
}

/** Links a channel; every reader of the notice must be allowed to know it. */
export function channelLink(channel: LinkableChannel): NoticePart {
  const { name } = channel;
  const source = PLAIN_SENTENCES.test(name) ? `#**${name}**` : code(`#${name}`);
  return { source, html: channelHtml(channel) };
}

/**
 * Links a topic; every reader of the notice must be allowed to know it.
 * @param emptyTopicName the organization's name for the empty topic
 */
export function topicLink(
  channel: LinkableChannel,
  topic: string,
  emptyTopicName: string,
): NoticePart {
  const plain = PLAIN_SENTENCES.test(channel.name) && (topic === "" || PLAIN_SENTENCES.test(topic));
  const source = plain
    ? `#**${channel.name}>${topic}**`
    : code(`#${channel.name} > ${topic === "" ? emptyTopicName : topic}`);
  return { source, html: topicHtml(channel, topic, { emptyTopicName }) };
}

/**
 * Links a message of a channel; every reader of the notice must be allowed to read it.
 * @param emptyTopicName the organization's name for the empty topic
 */
export function messageLink(
  channel: LinkableChannel,
  topic: string,
  emptyTopicName: string,
  messageId: number,
): NoticePart {
  const { name } = channel;
  const isPlain = PLAIN_SENTENCES.test(name) && (topic === "" || PLAIN_SENTENCES.test(topic));
  // The slug keeps asterisks, and three of them would be parsed before the link.
  const path = `${topicPath(channel, topic)}/near/${messageId}`.replaceAll("*", ".2A");
  return {
    source: isPlain ? `#**${name}>${topic}@${messageId}**` : `[message ${messageId}](${path})`,
    html: messageLinkHtml(channel, topic, emptyTopicName, messageId),
  };
}

/**
 * Links a direct message.
 * @param words the text of the link, which must contain nothing that could be markup
 * @param memberIds ids of all participants, ascending
 */
export function directMessageLink(
  words: string,
  memberIds: readonly number[],
  messageId: number,
): NoticePart {
  const path = `/#narrow/dm/${memberIds.join(",")}-dm/near/${messageId}`;
  return {
    source: `[${words}](${path})`,
    html: `<a href="${escapeAttribute(path)}">${escapeText(words)}</a>`,
  };
}

/** Quotes a name as plain text. */
export function verbatim(name: string): NoticePart {
  return { source: PLAIN_NAME.test(name) ? name : code(name), html: escapeText(name) };
}

/** Quotes a name in bold. */
export function emphasised(name: string): NoticePart {
  const source = PLAIN_NAME.test(name) ? `**${name}**` : code(name);
  return { source, html: `<strong>${escapeText(name)}</strong>` };
}

/** Quotes sentences that may contain names. */
export function quoted(sentences: string): NoticePart {
  const source = PLAIN_SENTENCES.test(sentences) ? sentences : code(sentences);
  return { source, html: escapeText(sentences) };
}

/**
 * Shows text that this server wrote, for example with a number or a time zone. It must contain nothing that could be
 * markup.
 */
export function plainWords(text: string): NoticePart {
  return { source: text, html: escapeText(text) };
}

/** Shows text as inline code, in one line. */
export function inlineCode(text: string): NoticePart {
  const line = text.replace(UNPRINTABLE, " ");
  return { source: code(line), html: `<code>${escapeText(line)}</code>` };
}

/** Shows a time, which clients convert to the reader's zone. @param seconds UNIX time */
export function moment(seconds: number): NoticePart {
  const iso = new Date(seconds * 1_000).toISOString();
  const utc = `${iso.slice(0, 19)}Z`;
  return { source: `<time:${iso}>`, html: `<time datetime="${utc}">${iso}</time>` };
}

/** Builds a paragraph of plain words and parts. */
export function paragraph(words: TemplateStringsArray, ...parts: NoticePart[]): NoticePart {
  const join = (render: (part: NoticePart) => string, own: (text: string) => string): string =>
    words.map((text, n) => own(text) + (parts[n] ? render(parts[n]) : "")).join("");
  return {
    source: join(
      ({ source }) => source,
      (text) => text,
    ),
    html: `<p>${join(({ html }) => html, escapeText)}</p>`,
  };
}

/** Builds a list with one item for each part. */
export function bulletList(parts: readonly NoticePart[]): NoticePart {
  const items = parts.map(({ html }) => `<li>${html}</li>\n`);
  return {
    source: parts.map(({ source }) => `* ${source}`).join("\n"),
    html: `<ul>\n${items.join("")}</ul>`,
  };
}

/** Builds a list whose items are numbered from 1. */
export function numberedList(parts: readonly NoticePart[]): NoticePart {
  const items = parts.map(({ html }) => `<li>${html}</li>\n`);
  return {
    source: parts.map(({ source }, index) => `${index + 1}. ${source}`).join("\n"),
    html: `<ol>\n${items.join("")}</ol>`,
  };
}

/** Quotes a text of several lines as plain text. */
export function quotedBlock(text: string): NoticePart {
  const longest = Math.max(2, ...(text.match(/[`~]{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const lines = text.split(/\r?\n/).map(escapeText);
  return {
    // A code block, in which nothing is markup.
    source: `${fence}text\n${text}\n${fence}`,
    html: `<blockquote>\n<p>${lines.join("<br>\n")}</p>\n</blockquote>`,
  };
}

/** Joins parts of one line. */
export function joined(parts: readonly NoticePart[], separator: string): NoticePart {
  return {
    source: parts.map(({ source }) => source).join(separator),
    html: parts.map(({ html }) => html).join(escapeText(separator)),
  };
}

/** Joins paragraphs and lists into a notice. */
export function notice(...blocks: readonly NoticePart[]): Notice {
  return {
    content: blocks.map(({ source }) => source).join("\n\n"),
    html: blocks.map(({ html }) => html).join("\n"),
  };
}

/** Wraps text in inline code, with more backticks than it contains. */
function code(text: string): string {
  const line = text.replace(UNPRINTABLE, " ");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}
