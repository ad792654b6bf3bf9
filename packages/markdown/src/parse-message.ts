import type { Document, Inline } from "./document.ts";
import { engine } from "./engine.ts";
import type { InlineContext } from "./inline/cursor.ts";
import { scanInline } from "./inline/scan.ts";
import { NameCollector } from "./name-collector.ts";
import type { ParsedMessage } from "./types.ts";

/** Choices of the sender. */
export interface ParseOptions {
  /** Turn `:)` into an emoji; off by default. */
  readonly translateEmoticons?: boolean;
}

/**
 * Phase 1, pure: reads the text and tells what the caller has to look up for `renderMessage`. Takes
 * the text for what it would be if everything it names existed.
 */
export function parseMessage(content: string, options: ParseOptions = {}): ParsedMessage {
  const translateEmoticons = options.translateEmoticons ?? false;
  const names = new NameCollector(translateEmoticons);
  const document = parseDocument(content, names);
  return {
    content,
    translateEmoticons,
    names: names.names(),
    hasWildcard: names.wildcards,
    customEmojiNames: [...names.customEmojiNames],
    references: names.references,
    document,
  };
}

/** Reads the blocks of `content` and the inline markup of each. */
export function parseDocument(content: string, context: InlineContext): Document {
  const tokens: Document["tokens"][number][] = [];
  // The engine takes NUL for itself, half a surrogate pair is no character, and lines end with \n.
  const source = /[\r\0\p{Surrogate}]/u.test(content)
    ? content.replace(/\r\n?/g, "\n").replace(/[\0\p{Surrogate}]/gu, "\ufffd")
    : content;
  engine.block.parse(source, engine, {}, tokens);
  const inlines: Inline[][] = [];
  let quotes = 0;
  for (const token of tokens) {
    if (token.type === "inline") inlines.push(scanInline(token.content, context, quotes > 0));
    else if (token.type === "blockquote_open") quotes++;
    else if (token.type === "blockquote_close") quotes--;
  }
  return { tokens, inlines };
}
