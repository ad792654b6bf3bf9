import { LineWriter } from "./line-writer.ts";

/** A tag, an entity or text; each character is scanned at most twice. */
const token = /<[^<>]*>|&(?:#\d{1,7}|[a-z]{1,8});|[^<&]+|[<&]/g;
const tag = /^<(\/?)([a-z][a-z0-9]*)/;

const entities: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&nbsp;", " "],
]);

const lines = new Set("p|div|br|hr|h1|h2|h3|h4|h5|h6|ul|ol|table|tr|pre".split("|"));

/** Placeholder of a spoiler's hidden content. */
const hidden = "(…)";

/** An element whose text is skipped; of a formula, the source is shown. */
interface Skipped {
  readonly name: string;
  /** Number of open elements of its name. */
  depth: number;
  inSource: boolean;
}

/**
 * Converts HTML of `renderMessage` to plain text for a notification (push.md §9): no formatting, emoji as characters,
 * spoilers by their header, quotes after `> `. Stops at the limit.
 * @param maxLength code points; longer text is cut, with `…`
 */
export function plainText(html: string, maxLength: number): string {
  const reader = new PlainTextReader(maxLength);
  for (const [part] of html.matchAll(token)) {
    reader.read(part);
    if (reader.isFull) break;
  }
  return reader.finish();
}

class PlainTextReader {
  readonly #out: LineWriter;
  /** Next item numbers of the enclosing lists; undefined for bullet lists. */
  readonly #lists: Array<number | undefined> = [];
  #preformatted = false;
  #skipped: Skipped | undefined;
  /** Position where a spoiler's header began. */
  #header = 0;
  #cells = 0;

  constructor(maxLength: number) {
    this.#out = new LineWriter(maxLength);
  }

  get isFull(): boolean {
    return this.#out.isFull;
  }

  finish(): string {
    return this.#out.finish();
  }

  read(part: string): void {
    const found = part.length > 1 && part.startsWith("<") ? tag.exec(part) : null;
    const [, slash, name] = found ?? [];
    if (name === undefined) this.#text(part);
    else if (this.#skipped) this.#skip(this.#skipped, name, slash === "/");
    else if (slash === "/") this.#close(name);
    else this.#open(name, part);
  }

  #text(part: string): void {
    if (this.#skipped && !this.#skipped.inSource) return;
    const text = part.startsWith("&") ? decoded(part) : part;
    if (this.#preformatted) this.#out.writeLines(text);
    else if (text !== "\n") this.#out.write(text);
  }

  #open(name: string, part: string): void {
    const classes = attribute(part, "class");
    if (name === "img") this.#out.write(decodedAll(attribute(part, "alt")));
    else if (name === "blockquote") this.#out.quote(1);
    else if (name === "li") this.#item();
    else if (name === "td" || name === "th") this.#cell();
    else if (name === "span") this.#span(classes);
    else if (lines.has(name)) this.#out.endLine();
    if (name === "ol") this.#lists.push(Number(attribute(part, "start") || 1));
    if (name === "ul") this.#lists.push(undefined);
    if (name === "tr") this.#cells = 0;
    if (name === "pre") this.#preformatted = true;
    if (classes === "spoiler-header") this.#header = this.#out.length;
    if (classes === "spoiler-content") this.#spoiler();
  }

  #close(name: string): void {
    if (name === "blockquote") this.#out.quote(-1);
    else if (name === "ol" || name === "ul") this.#lists.pop();
    else if (name === "pre") this.#preformatted = false;
    if (lines.has(name) && name !== "div") this.#out.endLine();
  }

  #item(): void {
    const last = this.#lists.length - 1;
    const number = this.#lists[last];
    this.#out.begin(number === undefined ? "• " : `${number}. `);
    if (number !== undefined) this.#lists[last] = number + 1;
  }

  #cell(): void {
    if (this.#cells++ > 0) this.#out.write(" | ");
  }

  #span(classes: string): void {
    if (classes.startsWith("emoji emoji-")) {
      this.#out.write(emojiOf(classes.slice("emoji emoji-".length)));
      this.#skipped = { name: "span", depth: 1, inSource: false };
    } else if (/^katex\b/.test(classes)) {
      this.#skipped = { name: "span", depth: 1, inSource: false };
    }
  }

  #spoiler(): void {
    if (this.#out.length > this.#header) {
      this.#out.reopenLine();
      this.#out.write(" ");
    }
    this.#out.write(hidden);
    this.#out.endLine();
    this.#skipped = { name: "div", depth: 1, inSource: false };
  }

  #skip(skipped: Skipped, name: string, closes: boolean): void {
    if (name === "annotation") skipped.inSource = !closes;
    if (name !== skipped.name) return;
    skipped.depth += closes ? -1 : 1;
    if (skipped.depth === 0) this.#skipped = undefined;
  }
}

/** Returns an attribute of a tag; ours are in double quotes. */
function attribute(part: string, name: string): string {
  const start = part.indexOf(` ${name}="`);
  if (start < 0) return "";
  const from = start + name.length + 3;
  const end = part.indexOf('"', from);
  return end < 0 ? "" : part.slice(from, end);
}

function decoded(entity: string): string {
  const known = entities.get(entity);
  if (known !== undefined) return known;
  const number = Number(/^&#(\d+);$/.exec(entity)?.[1] ?? Number.NaN);
  return number > 0 && number <= 0x10_ffff ? String.fromCodePoint(number) : entity;
}

function decodedAll(text: string): string {
  return text.replaceAll(/&(?:#\d{1,7}|[a-z]{1,8});/g, decoded);
}

/** Decodes an emoji. @param codes hexadecimal code points, joined by `-` */
function emojiOf(codes: string): string {
  const points = codes.split("-").map((code) => Number.parseInt(code, 16));
  return points.every((point) => point <= 0x10_ffff) ? String.fromCodePoint(...points) : "";
}
