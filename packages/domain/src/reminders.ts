import type { Sql } from "@carillon/db";
import { codePointLength, inSlices } from "@carillon/kit";
import {
  directMessageLink,
  fencedQuote,
  maxQuoteFrameLength,
  messageLink,
  type Notice,
  notice,
  type NoticePart,
  paragraph,
  type ParsedMessage,
  quotedLines,
  type RenderedMessage,
  RenderLimitError,
  renderMessage,
  silentUser,
} from "@carillon/markdown";
import {
  type Account,
  cutContent,
  maxMessageLength,
  type Realm,
  type VisibleMessage,
  type Site,
} from "@carillon/model";

import { loadRendering } from "./messages/send/mention-lookups.ts";
import { TextParser } from "./messages/send/text-parser.ts";

/** The data of a reminder. */
interface ReminderInput {
  /** The account that is reminded. */
  readonly account: Account;
  /** The message, as the account sees it. */
  readonly message: VisibleMessage;
  /** The account's note; null or not blank. */
  readonly note: string | null;
}

type Contained = Pick<RenderedMessage, "hasLink" | "hasImage" | "hasAttachment">;

/** The text of a reminder, and what its quotes contain. The mentions in it notify no one. */
export interface ReminderText extends Notice, Contained {}

/**
 * Composes the texts of reminders (scheduled-messages.md §8): a link to the message, the note, and the message as a
 * quote. User names are inserted as plain names. Note and message are rendered as Markdown for the account, so they
 * show it nothing that it cannot see. The number of statements does not depend on the number of inputs.
 * @param parser caches the parsed texts
 */
export async function composeReminders(
  sql: Sql,
  site: Site,
  realm: Realm,
  inputs: readonly ReminderInput[],
  parser = new TextParser(),
): Promise<ReminderText[]> {
  if (inputs.length === 0) return [];
  const sources = await inSlices(inputs, (input) => ({
    input,
    ...blocksOf(input, realm, parser),
  }));
  const texts = sources.flatMap(({ input, note, quote }) =>
    [note, quote].flatMap((parsed) => (parsed ? [{ parsed, authorId: input.account.id }] : [])),
  );
  const { lookups, ...context } = await loadRendering(sql, realm.id, site.url, texts);
  return inSlices(sources, ({ input: { account }, about, note, wrote, quote }) => {
    const show = (parsed: ParsedMessage) =>
      shown(parsed, () => renderMessage(parsed, lookups.of(parsed, account, context)));
    return textOf(note ? [about, show(note), wrote, show(quote)] : [about, wrote, show(quote)]);
  });
}

interface Blocks {
  readonly about: NoticePart;
  readonly note: ParsedMessage | undefined;
  readonly wrote: NoticePart;
  readonly quote: ParsedMessage;
}

function blocksOf({ message, note }: ReminderInput, realm: Realm, parser: TextParser): Blocks {
  const link = linkTo(message, realm.emptyTopicDisplayName);
  const about =
    note === null
      ? paragraph`You asked to be reminded of ${link}.`
      : paragraph`You asked to be reminded of ${link}, and noted:`;
  const noted = note === null ? "" : quotedLines(note);
  const wrote = paragraph`${silentUser({ id: message.senderId, fullName: message.senderName })} wrote:`;
  const before = [about.source, noted, wrote.source, ""].join("\n\n");
  const quoteLength = maxMessageLength - maxQuoteFrameLength - codePointLength(before);
  return {
    about,
    note: note === null ? undefined : parser.parseAhead(noted),
    wrote,
    quote: parser.parseAhead(fencedQuote(cutContent(message.content, quoteLength))),
  };
}

function linkTo({ id, channel, topic, memberIds }: VisibleMessage, emptyName: string): NoticePart {
  return channel
    ? messageLink(channel, topic, emptyName, id)
    : directMessageLink("a direct message", memberIds ?? [], id);
}

interface Block extends NoticePart, Partial<Contained> {}

function shown(parsed: ParsedMessage, render: () => RenderedMessage): Block {
  try {
    return { ...render(), source: parsed.content };
  } catch (error) {
    if (error instanceof RenderLimitError) return paragraph`(The text is too large to be shown.)`;
    throw error;
  }
}

function textOf(blocks: readonly Block[]): ReminderText {
  return {
    ...notice(...blocks),
    hasLink: blocks.some(({ hasLink }) => hasLink),
    hasImage: blocks.some(({ hasImage }) => hasImage),
    hasAttachment: blocks.some(({ hasAttachment }) => hasAttachment),
  };
}
