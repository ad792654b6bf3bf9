import type { Block, Inline, Style } from "./document.ts";
import { escapeLine, escapeLinkText } from "./escape-text.ts";

/** Blocks may be nested this deep; deeper ones are left out, as the renderer would show them as text. */
const deepest = 10;

/** Writes blocks as Markdown that the server renders to the same text, marks and links, and to no others. */
export function writeMarkdown(blocks: readonly Block[]): string {
  return writeBlocks(blocks, 0);
}

function writeBlocks(blocks: readonly Block[], depth: number): string {
  if (depth > deepest) return "";
  let text = "";
  let previous: Block | undefined;
  for (const block of blocks) {
    const written = writeBlock(block, depth);
    if (written.trim() === "") continue;
    // Slack lists of several depths follow each other; a blank line would separate them.
    const joins = block.kind === "list" && previous?.kind === "list" && block.depth > 0;
    text += (previous === undefined ? "" : joins ? "\n" : "\n\n") + written;
    previous = block;
  }
  return text;
}

function writeBlock(block: Block, depth: number): string {
  switch (block.kind) {
    case "paragraph":
      return writeInlines(block.inlines)
        .replace(/^\s*\n/, "")
        .trimEnd();
    case "code":
      return writeCodeBlock(block.text);
    case "quote":
      return writeBlocks(block.blocks, depth + 1)
        .split("\n")
        .map((line) => (line === "" ? ">" : `> ${line}`))
        .join("\n");
    case "list":
      return writeList(block);
    case "table":
      return writeTable(block.rows);
  }
}

function writeCodeBlock(text: string): string {
  const longest = Math.max(2, longestRun(text));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.replace(/^\n/, "").trimEnd()}\n${fence}`;
}

/** Returns the length of the longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function writeList(list: Extract<Block, { kind: "list" }>): string {
  const depth = Math.min(list.depth, 6);
  return list.items
    .map((item, index) => {
      const marker = list.ordered ? `${list.start + index}. ` : "* ";
      const lines = writeInlines(item).trim().split("\n");
      const indent = " ".repeat(depth * 2);
      return lines
        .map((line, n) => indent + (n === 0 ? marker : " ".repeat(marker.length)) + line)
        .join("\n");
    })
    .join("\n");
}

function writeTable(rows: readonly (readonly (readonly Inline[])[])[]): string {
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return "";
  const lines = rows.map((row) => {
    const cells = Array.from({ length: width }, (_, column) =>
      writeInlines(row[column] ?? [])
        .replaceAll("\n", " ")
        .replaceAll("|", "&#124;")
        .trim(),
    );
    return `| ${cells.join(" | ")} |`;
  });
  lines.splice(1, 0, `| ${Array.from({ length: width }, () => "---").join(" | ")} |`);
  return lines.join("\n");
}

type Mark = "bold" | "strike" | "italic";

/** Marks from the outermost to the innermost, with their Markdown. */
const marks: readonly (readonly [Mark, string])[] = [
  ["bold", "**"],
  ["strike", "~~"],
  ["italic", "*"],
];
const signs = new Map(marks);

/** Writes the pieces of a paragraph. */
export function writeInlines(inlines: readonly Inline[]): string {
  const writer = new InlineWriter();
  const pieces = merged(inlines);
  pieces.forEach((piece, index) => writer.add(piece, pieces[index + 1]));
  return writer.finish();
}

/** Joins neighbouring texts of one style, so that escaping sees all of a text. */
function merged(inlines: readonly Inline[]): readonly Inline[] {
  const pieces: Inline[] = [];
  for (const inline of inlines) {
    const last = pieces.at(-1);
    if (last?.kind === "text" && inline.kind === "text" && isSameStyle(last.style, inline.style))
      pieces[pieces.length - 1] = { ...last, text: last.text + inline.text };
    else if (inline.kind !== "text" || inline.text !== "") pieces.push(inline);
  }
  return pieces;
}

function isSameStyle(a: Style, b: Style): boolean {
  return marks.every(([mark]) => a[mark] === b[mark]);
}

/** An invisible character as an entity: separates two runs of signs that would be read as one. */
const separator = "&#8203;";

/** Writes pieces one after the other, opening and closing marks where their styles differ. */
class InlineWriter {
  /** Text without the white space at its end. In pieces: looking at the end of a long text that grows would copy it. */
  readonly #pieces: string[] = [];
  /** The last character of the text. */
  #last = "";
  /** White space that follows: marks close before it and open after it. */
  #gap = "";
  #open: Mark[] = [];

  add(piece: Inline, next: Inline | undefined): void {
    if (piece.kind === "text") this.#addText(piece.text, piece.style, next);
    else if (piece.kind === "code") this.#addCode(piece.text, piece.style);
    else if (piece.kind === "link") this.#addLink(piece, next);
    else this.#addMarkup(piece.source);
  }

  finish(): string {
    this.#setMarks({});
    return this.#pieces.join("");
  }

  #addText(text: string, style: Style, next: Inline | undefined): void {
    const lines = text.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n").split("\n");
    lines.forEach((line, index) => {
      if (index > 0) this.#breakLine();
      const core = line.trim();
      if (core === "") {
        this.#gap += line;
        return;
      }
      const start = line.length - line.trimStart().length;
      this.#gap += line.slice(0, start);
      const after = line.slice(start + core.length);
      const isFollowed = index === lines.length - 1 ? next !== undefined : hasMarks(style);
      const isFirst = this.#isAtLineStart() && !hasMarks(style);
      this.#setMarks(style);
      this.#closeGap();
      const before = isFirst ? "" : this.#last;
      this.#append(escapeLine(core, { before, beforeMarkup: after === "" && isFollowed }));
      this.#gap = after;
    });
  }

  #addCode(text: string, style: Style): void {
    const line = text.replaceAll(/[\r\n\u2028\u2029]+/g, " ");
    if (line === "") return;
    this.#setMarks(style);
    if (this.#gap === "" && this.#last === "`") this.#append(separator);
    this.#closeGap();
    const longest = longestRun(line);
    const fence = "`".repeat(longest + 1);
    const space = longest > 0 ? " " : "";
    this.#append(fence + space + line + space + fence);
  }

  #addLink(link: Extract<Inline, { kind: "link" }>, next: Inline | undefined): void {
    const url = safeUrl(link.url);
    const isBare = link.text === link.url || link.text.trim() === "";
    if (url === undefined) {
      const text = isBare ? link.url : `${link.text} (${link.url})`;
      this.#addText(text, link.style, next);
      return;
    }
    const standsBare = isBare && this.#canStandBare(url, link.style, next);
    this.#setMarks(link.style);
    this.#closeGap();
    this.#append(standsBare ? url : `[${escapeLinkText(isBare ? link.url : link.text)}](${url})`);
  }

  /** Whether the renderer finds exactly this URL when it stands without brackets. */
  #canStandBare(url: string, style: Style, next: Inline | undefined): boolean {
    const before = this.#gap === "" ? this.#last : " ";
    const after = next === undefined ? "" : next.kind === "text" ? next.text.charAt(0) : "x";
    return (
      !hasMarks(style) &&
      this.#open.length === 0 &&
      /^https?:\/\/[A-Za-z0-9][A-Za-z0-9_/:?=&%.#+,@-]*[A-Za-z0-9/]$/.test(url) &&
      /^[\s(]?$/.test(before) &&
      /^\s?$/.test(after)
    );
  }

  /** Adds a mention, an emoji or a time, always without marks: a mention is none directly after an asterisk. */
  #addMarkup(source: string): void {
    this.#setMarks({});
    const before = this.#gap === "" && !this.#isAtLineStart() ? this.#last : " ";
    const isApart = source.startsWith("@")
      ? /[\s'"({[/<]/.test(before)
      : !source.startsWith("#") || !/[\p{L}\p{N}_#]/u.test(before);
    if (!isApart) this.#gap = " ";
    this.#closeGap();
    this.#append(source);
  }

  /** Emphasis does not continue on the next line. */
  #breakLine(): void {
    this.#setMarks({});
    this.#append("\n");
    this.#gap = "";
  }

  /** Closes and opens marks, so that those of the style are open. */
  #setMarks(style: Style): void {
    const wanted = marks.map(([mark]) => mark).filter((mark) => style[mark] === true);
    let kept = 0;
    while (kept < this.#open.length && this.#open[kept] === wanted[kept]) kept++;
    const closing = this.#open.slice(kept).reverse();
    const opening = wanted.slice(kept);
    for (const mark of closing) this.#append(signs.get(mark) ?? "");
    if (opening.length > 0) {
      if (closing.length > 0 && this.#gap === "") this.#append(separator);
      this.#closeGap();
      for (const mark of opening) this.#append(signs.get(mark) ?? "");
    }
    this.#open = wanted;
  }

  /** Writes the white space. At the start of a line, four spaces would begin code. */
  #closeGap(): void {
    const spaces = this.#gap.replaceAll("\t", "    ");
    const isCode = this.#isAtLineStart() && spaces.length >= 4;
    this.#append(isCode ? "\u00a0".repeat(spaces.length) : this.#gap);
    this.#gap = "";
  }

  #append(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#last = text.slice(-1);
  }

  #isAtLineStart(): boolean {
    return this.#last === "" || this.#last === "\n";
  }
}

function hasMarks(style: Style): boolean {
  return marks.some(([mark]) => style[mark] === true);
}

/** Schemes of links that are kept; the server links no script. */
const schemes = /^(?:https?|ftp|mailto|tel|sms|ssh|irc|slack):/i;

/** Returns the URL as it can stand in a link; undefined for one that must not be a link. */
function safeUrl(url: string): string | undefined {
  if (!schemes.test(url) && !url.startsWith("/user_uploads/")) return undefined;
  return url.replaceAll(
    // eslint-disable-next-line no-control-regex -- control characters end a link
    /[\u0000-\u0020\u007f-\u009f\u2028\u2029()<>[\]`\\*~$]/g,
    (character) =>
      encodeURIComponent(character).replace(
        /^[()*~]$/,
        (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
  );
}
