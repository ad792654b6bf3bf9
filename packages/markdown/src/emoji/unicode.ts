import { codeToNames } from "./names.ts";

/** A node of the trie of all emoji, by code point, without variation selectors. */
interface Node {
  readonly next: Map<number, Node>;
  name: string | undefined;
}

/** Combines with the preceding digit or sign into an emoji that begins with ASCII. */
const KEYCAP = 0x20e3;
const VARIATION_EMOJI = 0xfe0f;
const VARIATION_TEXT = 0xfe0e;
const JOINER = 0x200d;
let tree: Node | undefined;

/** Whether a non-ASCII UTF-16 unit can begin an emoji. Cheap; may have false positives. */
export function isEmojiLead(unit: number): boolean {
  if (unit < 0x203c) return unit === 0xa9 || unit === 0xae;
  if (unit < 0xd83c) return unit <= 0x3299 && (unit < 0x3040 || unit > 0x3290);
  return unit <= 0xd83e || unit === VARIATION_EMOJI;
}

/**
 * Parses the longest emoji at `at`: its name, and the position after it. If a whole sequence, such as an emoji with a skin
 * tone, has no name, all of it stays text, so that it is not shown as another emoji.
 */
export function readUnicodeEmoji(
  source: string,
  at: number,
  end: number,
): { name: string | undefined; after: number } {
  tree ??= growTree();
  let node: Node | undefined = tree;
  let name: string | undefined;
  let after = at;
  for (let i = at; i < end;) {
    const point = source.codePointAt(i) ?? 0;
    // A variation selector belongs to the preceding character; a second or leading one is not part of an emoji.
    if (point !== VARIATION_EMOJI) node = node.next.get(point);
    else if (i === at || source.charCodeAt(i - 1) === VARIATION_EMOJI) break;
    i += point > 0xffff ? 2 : 1;
    if (node === undefined) break;
    if (node.name !== undefined) {
      name = node.name;
      after = i;
    }
  }
  if (name === undefined) return { name: undefined, after: at };
  const tail = endOfTail(source, after, end);
  if (tail > after) return { name: undefined, after: tail };
  return needsSelector(source, at, after) ? { name: undefined, after } : { name, after };
}

/** Whether the unit at `at` completes a key cap such as 1️⃣, after its digit or sign. */
export function isKeycap(source: string, at: number): boolean {
  const unit = source.charCodeAt(at);
  if (unit !== KEYCAP && source.charCodeAt(at + 1) !== KEYCAP) return false;
  return unit === KEYCAP || unit === VARIATION_EMOJI;
}

/** Skips the rest of an unnamed emoji sequence: skin tones and joined emoji. */
function endOfTail(source: string, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const point = source.codePointAt(at) ?? 0;
    const joined = at > from && source.charCodeAt(at - 1) === JOINER;
    const belongs =
      point === JOINER ||
      point === VARIATION_TEXT ||
      (point >= 0x1f3fb && point <= 0x1f3ff) ||
      (at > from && point === VARIATION_EMOJI) ||
      (joined && point > 0x7f);
    if (!belongs) break;
    at += point > 0xffff ? 2 : 1;
  }
  return at;
}

/** Whether a sign such as © ™ ↔ is text unless followed by the emoji selector. */
function needsSelector(source: string, at: number, after: number): boolean {
  const unit = source.charCodeAt(at);
  const sign = (unit > 0x7f && unit < 0x203c) || (unit > 0x2049 && unit < 0x2300);
  return sign && source.charCodeAt(after - 1) !== VARIATION_EMOJI;
}

function growTree(): Node {
  const root: Node = { next: new Map(), name: undefined };
  for (const [code, [name]] of codeToNames) {
    let node = root;
    for (const part of code.split("-")) {
      const point = Number.parseInt(part, 16);
      let next = node.next.get(point);
      if (next === undefined) node.next.set(point, (next = { next: new Map(), name: undefined }));
      node = next;
    }
    node.name = name;
  }
  return root;
}
