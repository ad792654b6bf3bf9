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
 * A part of what a system bot says: its Markdown, which clients show to be quoted, and its HTML. Neither comes from the
 * other, so that no character of a name acts as markup (rendering.md, names in notices).
 */
export interface NoticePart {
  readonly source: string;
  readonly html: string;
}

/** What a system bot says, ready to be stored. */
export interface Notice {
  readonly content: string;
  readonly html: string;
}

/** Has nothing that begins or continues markup, an address or an emoji, wherever it stands. */
const PLAIN_NAME =
  /^(?!.*[\ufe0f\u20e3])[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_'\u2019,!?()/+&=%-]| (?! ))*$/u;
/** The same with the punctuation of sentences, for what stands within a paragraph. */
const PLAIN_SENTENCES =
  /^(?!.*[\ufe0f\u20e3])[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_'\u2019"\u201c\u201d,!?()/+&=%-]|[.:;](?= |$)| (?! ))*$/u;
/** What cannot stand on one line. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029]+/gu;

/** An account, which is not called by it. Once it has another name, its mention is bold text: no other markup then. */
export function silentUser({ id, fullName }: { id: number; fullName: string }): NoticePart {
  const name = PLAIN_SENTENCES.test(fullName) ? fullName : "";
  return { source: `@_**${name}|${id}**`, html: userMentionHtml({ id, fullName }, true) };
}

/** A user group, whose members are not called by it. */
export function silentGroup({ id, name }: { id: number; name: string }): NoticePart {
  const source = PLAIN_SENTENCES.test(name) ? `@_*${name}*` : code(name);
  return { source, html: groupMentionHtml({ id, name }, true) };
}

/** A link to a channel that all who read the notice may know. */
export function channelLink(channel: LinkableChannel): NoticePart {
  const { name } = channel;
  const source = PLAIN_SENTENCES.test(name) ? `#**${name}**` : code(`#${name}`);
  return { source, html: channelHtml(channel) };
}

/**
 * A link to a topic that all who read the notice may know.
 * @param emptyTopicName what the organization calls the empty one
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
 * A link to a message of a channel that all who read the notice may read.
 * @param emptyTopicName what the organization calls the empty one
 */
export function messageLink(
  channel: LinkableChannel,
  topic: string,
  emptyTopicName: string,
  messageId: number,
): NoticePart {
  const { name } = channel;
  const isPlain = PLAIN_SENTENCES.test(name) && (topic === "" || PLAIN_SENTENCES.test(topic));
  // The slug leaves asterisks as they are, and three of them would count before the link does.
  const path = `${topicPath(channel, topic)}/near/${messageId}`.replaceAll("*", ".2A");
  return {
    source: isPlain ? `#**${name}>${topic}@${messageId}**` : `[message ${messageId}](${path})`,
    html: messageLinkHtml(channel, topic, emptyTopicName, messageId),
  };
}

/**
 * Our own words as a link to a direct message.
 * @param memberIds of everybody in the conversation, ascending
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

/** A name that is only told. */
export function told(name: string): NoticePart {
  return { source: PLAIN_NAME.test(name) ? name : code(name), html: escapeText(name) };
}

/** A name that is only told, in bold. */
export function emphasised(name: string): NoticePart {
  const source = PLAIN_NAME.test(name) ? `**${name}**` : code(name);
  return { source, html: `<strong>${escapeText(name)}</strong>` };
}

/** Sentences that may have names in them. */
export function quoted(sentences: string): NoticePart {
  const source = PLAIN_SENTENCES.test(sentences) ? sentences : code(sentences);
  return { source, html: escapeText(sentences) };
}

/** A moment, which clients show in the reader's time. @param seconds UNIX time */
export function moment(seconds: number): NoticePart {
  const iso = new Date(seconds * 1_000).toISOString();
  const utc = `${iso.slice(0, 19)}Z`;
  return { source: `<time:${iso}>`, html: `<time datetime="${utc}">${iso}</time>` };
}

/** Our own words, which are plain, with parts among them. */
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

/** One line for each part. */
export function bulletList(parts: readonly NoticePart[]): NoticePart {
  const items = parts.map(({ html }) => `<li>${html}</li>\n`);
  return {
    source: parts.map(({ source }) => `* ${source}`).join("\n"),
    html: `<ul>\n${items.join("")}</ul>`,
  };
}

/** Paragraphs and lists, one below the other. */
export function notice(...blocks: readonly NoticePart[]): Notice {
  return {
    content: blocks.map(({ source }) => source).join("\n\n"),
    html: blocks.map(({ html }) => html).join("\n"),
  };
}

/** Inline code in more backticks than stand anywhere in it: nothing in it is markup. */
function code(text: string): string {
  const line = text.replace(UNPRINTABLE, " ");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}
