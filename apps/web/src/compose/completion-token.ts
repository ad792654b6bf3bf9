/** The token before the caret, and the kind of its completions. */
export type CompletionToken =
  | {
      readonly kind: "mention";
      readonly start: number;
      readonly typed: string;
      readonly isSilent: boolean;
    }
  | { readonly kind: "channel"; readonly start: number; readonly typed: string }
  | {
      readonly kind: "topic";
      readonly start: number;
      readonly typed: string;
      readonly channel: string;
    }
  | { readonly kind: "emoji"; readonly start: number; readonly typed: string };

/** Maximum characters before the caret that are examined. */
const most = 200;

/** Text that may precede a mention or a link (rendering.md §4). */
const before = String.raw`(?:^|(?<=[\s'"(\x5b{/<>]))`;
const mention = new RegExp(`${before}@(_?)(\\*{0,2})([^\\n@*#]{0,60})$`);
const channel = new RegExp(`${before}#(\\*{0,2})([^\\n#*>]{0,60})$`);
const topic = new RegExp(`${before}#\\*\\*([^\\n*>]{1,100})>([^\\n*>]{0,60})$`);
const emoji = /(?:^|(?<=[\s'"([{>])):([a-z\d_+-]{2,40})$/i;

/** Returns the token before the caret; undefined if there is nothing to complete. */
export function tokenBefore(text: string, caret: number): CompletionToken | undefined {
  const from = Math.max(0, caret - most);
  const line = text.slice(Math.max(from, text.lastIndexOf("\n", caret - 1) + 1), caret);
  const startOf = (match: RegExpExecArray) => caret - match[0].length;
  const inTopic = topic.exec(line);
  if (inTopic)
    return {
      kind: "topic",
      start: startOf(inTopic),
      channel: inTopic[1] ?? "",
      typed: inTopic[2] ?? "",
    };
  const inChannel = channel.exec(line);
  // `# Title` is a heading.
  if (inChannel && !inChannel[2]?.startsWith(" "))
    return { kind: "channel", start: startOf(inChannel), typed: inChannel[2] ?? "" };
  const inEmoji = emoji.exec(line);
  if (inEmoji) return { kind: "emoji", start: startOf(inEmoji), typed: inEmoji[1] ?? "" };
  const inMention = mention.exec(line);
  if (!inMention || inMention[3]?.startsWith(" ")) return undefined;
  return {
    kind: "mention",
    start: startOf(inMention),
    isSilent: inMention[1] === "_",
    typed: inMention[3] ?? "",
  };
}
