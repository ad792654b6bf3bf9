import { add, type Cursor } from "./cursor.ts";

const CHANNEL_LINK = /#\*\*([^*>\n]+)(?:>([^*\n]*?)(?:@(\d{1,15}))?)?\*\*/y;
const WORD_CHARACTER = /[\p{L}\p{N}_#]/u;

/** Parses `#**channel**`, `#**channel>topic**` and `#**channel>topic@message**` (rendering.md §5). */
export function channelLink(cursor: Cursor, at: number, end: number): number {
  const { source, context } = cursor;
  if (cursor.insideLink || (at > 0 && WORD_CHARACTER.test(source.charAt(at - 1)))) return at;
  CHANNEL_LINK.lastIndex = at;
  const match = CHANNEL_LINK.exec(source);
  if (match === null || CHANNEL_LINK.lastIndex > end) return at;
  const after = CHANNEL_LINK.lastIndex;
  const target = {
    kind: "channel",
    channel: match[1] ?? "",
    topic: match[2],
    messageId: match[3] === undefined ? undefined : Number(match[3]),
  } as const;
  if (!context.accepts(target)) return at;
  add(cursor, { kind: "channel-link", target, source: match[0] }, at, after);
  return after;
}
