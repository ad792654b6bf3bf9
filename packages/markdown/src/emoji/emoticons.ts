/** Emoticons and the names of their emoji. */
const EMOTICONS: Readonly<Record<string, string>> = {
  ":)": "smile",
  "(:": "smile",
  ":-)": "smile",
  ":(": "frown",
  ":-(": "frown",
  ":|": "neutral",
  ":/": "oh_no",
  ";)": "wink",
  ";-)": "wink",
  ":D": "grinning",
  ":o": "open_mouth",
  ":O": "open_mouth",
  ":p": "stuck_out_tongue",
  ":P": "stuck_out_tongue",
  ":'(": "cry",
  "<3": "heart",
};

const CANDIDATE = /(?<=^|\s)(?::['-]?[)(|/DoOpP]|\(:|;-?\)|<3)(?=$|[\s.,!?])/g;

/** Finds emoticons that follow white space and precede white space or a full stop, comma, exclamation or question mark. */
export function findEmoticons(source: string): { start: number; end: number; name: string }[] {
  const found: { start: number; end: number; name: string }[] = [];
  for (const match of source.matchAll(CANDIDATE)) {
    const name = EMOTICONS[match[0]];
    if (name === undefined) continue;
    found.push({ start: match.index, end: match.index + match[0].length, name });
  }
  return found;
}
