export { AlertWords } from "./alert-words.ts";
export { escapeCodeBlock } from "./escape.ts";
export { codeToNames, emojiNames } from "./emoji/names.ts";
export { type Linkifier, Linkifiers } from "./linkifiers/linkifiers.ts";
export { linkifierProblem, patternSize } from "./linkifiers/usable.ts";
export { htmlDifferences } from "./html-differences.ts";
export { emptyLookups } from "./lookups.ts";
export { isMeMessage } from "./me-message.ts";
export {
  bulletList,
  channelLink,
  directMessageLink,
  emphasised,
  inlineCode,
  joined,
  messageLink,
  moment,
  notice,
  type Notice,
  type NoticePart,
  numberedList,
  paragraph,
  plainWords,
  quoted,
  quotedBlock,
  silentGroup,
  silentUser,
  verbatim,
  topicLink,
} from "./notice.ts";
export { parseMessage } from "./parse-message.ts";
export { plainText } from "./plain/plain-text.ts";
export { fencedQuote, maxQuoteFrameLength, quotedLines } from "./quote-source.ts";
export { renderDescription } from "./render-description.ts";
export { renderMessage, renderVersion } from "./render-message.ts";
export { plainHtml, RenderLimitError } from "./rendering.ts";
export { highlight, highlightableWords } from "./search/highlight.ts";
export { searchText } from "./search/search-text.ts";
export { topicLinks } from "./topic-links.ts";
export { makePreviews, textsOfPlaceholder } from "./previews/make-previews.ts";
export type {
  LinkedFile,
  Lookups,
  MadeImage,
  MentionableGroup,
  MentionableUser,
  ParsedMessage,
  RenderedMessage,
} from "./types.ts";
export { topicPath } from "./names-html.ts";
