import type { Document } from "./document.ts";
import { parseDocument } from "./parse-message.ts";
import { renderBlocks } from "./render-blocks.ts";
import type { Rendering } from "./rendering.ts";
import { knownContext, resolves } from "./resolve.ts";
import type { Lookups, ParsedMessage, RenderedMessage } from "./types.ts";

/** Stored with every rendered text; raised when the same text would render to other HTML. */
export const renderVersion = 1;

/** TeX that costs more in one text, in the characters of `math.ts`, is shown as typed. */
const DEAREST_TEX = 2000;

/**
 * Phase 2, pure: the HTML of a parsed text and what it does. Throws `RenderLimitError` when the HTML
 * grows beyond 100 times the longest message.
 */
export function renderMessage(parsed: ParsedMessage, lookups: Lookups): RenderedMessage {
  const rendering: Rendering = {
    lookups,
    userIds: new Set(),
    groupIds: new Set(),
    channelWildcard: false,
    topicWildcard: false,
    hasLink: false,
    hasAttachment: false,
    texLeft: DEAREST_TEX,
  };
  const html = renderBlocks(settledDocument(parsed, lookups), rendering);
  return {
    html,
    mentionedUserIds: [...rendering.userIds],
    mentionedGroupIds: [...rendering.groupIds],
    channelWildcard: rendering.channelWildcard,
    topicWildcard: rendering.topicWildcard,
    hasLink: rendering.hasLink,
    hasImage: false,
    hasAttachment: rendering.hasAttachment,
  };
}

/** The document of phase 1, or a new one where a name is unknown (so it is plain Markdown), an emoji custom or a linkifier matches. */
function settledDocument(parsed: ParsedMessage, lookups: Lookups): Document {
  const linkifiers = lookups.linkifiers.matchingIn(
    parsed.document.tokens.flatMap(({ type, content }) => (type === "inline" ? [content] : [])),
  );
  const asParsed =
    parsed.references.every((reference) => resolves(reference, lookups)) &&
    !parsed.customEmojiNames.some((name) => lookups.customEmoji.has(name)) &&
    !linkifiers.any;
  if (asParsed) return parsed.document;
  const { translateEmoticons } = parsed;
  return parseDocument(parsed.content, knownContext(lookups, linkifiers, translateEmoticons));
}
