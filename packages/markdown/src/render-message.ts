import type { Document } from "./document.ts";
import { parseDocument } from "./parse-message.ts";
import { renderBlocks } from "./render-blocks.ts";
import { Previews } from "./previews/previews.ts";
import { MARKUP_ALLOWANCE, type Rendering } from "./rendering.ts";
import { knownContext, resolves } from "./resolve.ts";
import type { Lookups, ParsedMessage, RenderedMessage } from "./types.ts";

/** Stored with every rendered text; increase it when the same text renders to other HTML. */
export const renderVersion = 5;

/** Limit of TeX cost in one text (`tex-limits.ts`); beyond it TeX is shown as typed. */
const DEAREST_TEX = 2000;

/** Limit of characters of code in one text whose tokens have spans; other blocks of code are plain. */
const MOST_CODE = 5000;

/**
 * Limit of words and signs in that code. Tokenizers take time for each of them, and some keep a state for each open
 * bracket: 5,000 open brackets took 60 ms in a new process. 98 % of code of 5,000 characters has fewer words and signs.
 */
const MOST_CODE_WORDS = 2000;

/**
 * Renders a parsed text, without reading anything else (phase 2).
 * @param markupAllowance see {@link MARKUP_ALLOWANCE}
 * @throws RenderLimitError when the HTML exceeds 20 times the longest message
 */
export function renderMessage(
  parsed: ParsedMessage,
  lookups: Lookups,
  markupAllowance = MARKUP_ALLOWANCE,
): RenderedMessage {
  const document = settledDocument(parsed, lookups);
  const previews = new Previews(document, lookups);
  const rendering: Rendering = {
    lookups,
    userIds: new Set(),
    groupIds: new Set(),
    channelWildcard: false,
    topicWildcard: false,
    hasLink: false,
    uploadPaths: new Set(),
    previews,
    texLeft: DEAREST_TEX,
    codeLeft: MOST_CODE,
    codeWordsLeft: MOST_CODE_WORDS,
    markupLeft: markupAllowance,
  };
  const html = renderBlocks(document, rendering);
  return {
    html,
    mentionedUserIds: [...rendering.userIds],
    mentionedGroupIds: [...rendering.groupIds],
    channelWildcard: rendering.channelWildcard,
    topicWildcard: rendering.topicWildcard,
    hasLink: rendering.hasLink,
    hasImage: previews.hasImage,
    hasAttachment: rendering.uploadPaths.size > 0,
    uploadPaths: [...rendering.uploadPaths],
    pendingImages: [...previews.pending],
  };
}

/** A document of {@link settledDocument}, with its cache key. */
interface Settled {
  readonly linkifiers: Lookups["linkifiers"];
  /** The references that the organization has. */
  readonly resolved: string;
  readonly customEmoji: string;
  readonly document: Document;
}

/** Cache for texts that are rendered twice: before and in the transaction that sends them. */
const lastSettled = new WeakMap<ParsedMessage, Settled>();

/**
 * Returns the document of phase 1, or parses again if a name is unknown (then it is plain text), an emoji is custom or a
 * linkifier matches.
 */
function settledDocument(parsed: ParsedMessage, lookups: Lookups): Document {
  const resolved = parsed.references
    .map((reference) => (resolves(reference, lookups) ? "y" : "n"))
    .join("");
  const customEmoji = parsed.customEmojiNames
    .filter((name) => lookups.customEmoji.has(name))
    .join(":");
  const known = lastSettled.get(parsed);
  if (
    known?.linkifiers === lookups.linkifiers &&
    known.resolved === resolved &&
    known.customEmoji === customEmoji
  )
    return known.document;
  const linkifiers = lookups.linkifiers.matchingIn(parsed.document.texts);
  const asParsed = !resolved.includes("n") && customEmoji === "" && !linkifiers.any;
  const document = asParsed
    ? parsed.document
    : parseDocument(parsed.content, knownContext(lookups, linkifiers, parsed.translateEmoticons));
  lastSettled.set(parsed, { linkifiers: lookups.linkifiers, resolved, customEmoji, document });
  return document;
}
