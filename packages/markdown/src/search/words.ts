/** A word in HTML of `renderMessage` or in escaped text. */
export interface FoundWord {
  readonly start: number;
  readonly end: number;
  /** Normalized form: composed, without invisible characters. */
  readonly word: string;
  readonly inFormula: boolean;
}

/** Scripts that are written without spaces: each letter counts as a word. */
const unspaced =
  "[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]";
const unspacedLetter = `[[\\p{L}\\p{N}]&&${unspaced}]`;
const letter = `[[\\p{L}\\p{N}]--${unspaced}]`;
/** Invisible characters, such as soft hyphens. A word may contain them but does not end with one. */
const invisible = "[\\p{Cf}\\p{Variation_Selector}]";
const mark = `[[\\p{Mn}\\p{Mc}]--${invisible}]`;
/** A tag, an entity, or a word. Tags contain no other `>`, because `renderMessage` escapes it in attributes. */
const token = new RegExp(
  `<[^<>]*>|&#?\\w+;|${unspacedLetter}${mark}*|${letter}(?:${invisible}*[${letter}${mark}])*`,
  "gv",
);

/** {@link token} for ASCII text, twice as fast. */
const asciiToken = /<[^<>]*>|&#?\w+;|[A-Za-z0-9]+/g;

const allInvisible = new RegExp(invisible, "gv");
const beyondAscii = /[^\0-\x7f]/;

/** Yields the words of HTML in order, without tags, attributes, entities and punctuation. */
export function* wordsOf(html: string): Generator<FoundWord> {
  /** Number of open `span` elements of a formula. */
  let depth = 0;
  for (const { 0: text, index: start } of html.matchAll(tokenOf(html))) {
    if (text.startsWith("<")) depth = formulaDepth(depth, text);
    else if (!text.startsWith("&"))
      yield { start, end: start + text.length, word: normalized(text), inFormula: depth > 0 };
  }
}

/** Returns only the texts of the words, and of the names of uploaded files. */
export function textsOfWords(html: string): string[] {
  const words: string[] = [];
  for (const text of html.match(tokenOf(html)) ?? []) {
    if (text.startsWith("<")) words.push(...namesIn(text));
    else if (!text.startsWith("&")) words.push(normalized(text));
  }
  return words;
}

const none: readonly string[] = [];

/** A link to an uploaded file. Links with the address of the server are rendered without it and without the first slash. */
const linkToUpload = /^<a href="\/?user_uploads\/[^"]*\/([^"/]+)"/;

/** Returns the words by which an uploaded file is found: those of its name, or of the alternative text of an image. */
function namesIn(tag: string): readonly string[] {
  if (!tag.includes("user_uploads/")) return none;
  const linked = linkToUpload.exec(tag)?.[1];
  if (linked !== undefined) return textsOfWords(percentDecoded(linked));
  const isOfUpload = tag.includes('="/user_uploads/');
  const [, name = ""] = (isOfUpload && /^<img alt="([^"]*)"/.exec(tag)) || [];
  return name === "" ? none : textsOfWords(name);
}

/** Decodes percent-encoded text. Returns invalid text unchanged. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function tokenOf(html: string): RegExp {
  return beyondAscii.test(html) ? token : asciiToken;
}

function formulaDepth(depth: number, tag: string): number {
  if (depth === 0) return tag.startsWith('<span class="katex') ? 1 : 0;
  if (tag.startsWith("<span")) return depth + 1;
  return tag === "</span>" ? depth - 1 : depth;
}

function normalized(word: string): string {
  return beyondAscii.test(word) ? word.replace(allInvisible, "").normalize("NFC") : word;
}
