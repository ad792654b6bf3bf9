import { type Block, type Inline, plain, type Style } from "../markup/document.ts";
import {
  linkChannel,
  mentionEverybody,
  mentionUser,
  showEmoji,
  showTime,
  type SlackNames,
} from "./references.ts";

/** Parses a text in Slack's own format: marks, `<…>` for references, and `&amp;` `&lt;` `&gt;`. */
export function parseMrkdwn(text: string, names: SlackNames): Block[] {
  const source = text.replaceAll(/\r\n?/g, "\n");
  const blocks: Block[] = [];
  for (let at = 0; at < source.length;) {
    const open = source.indexOf(fence, at);
    const close = open < 0 ? -1 : source.indexOf(fence, open + fence.length);
    if (close < 0) {
      addLines(blocks, source.slice(at), names);
      break;
    }
    addLines(blocks, source.slice(at, open), names);
    const code = plainReferences(source.slice(open + fence.length, close));
    if (code.trim() !== "") blocks.push({ kind: "code", text: code });
    at = close + fence.length;
  }
  return blocks;
}

const fence = "```";

function addLines(blocks: Block[], text: string, names: SlackNames): void {
  for (const block of parseLines(text, names, false)) blocks.push(block);
}

/**
 * Parses text without blocks of code: quotes, lists and paragraphs.
 * @param isQuoted whether the text is in a quote, in which Slack has no quotes
 */
function parseLines(text: string, names: SlackNames, isQuoted: boolean): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let quoted: string[] = [];
  /** The list that the next item may continue. */
  let items: { readonly depth: number; readonly list: Block; readonly of: Inline[][] } | undefined;
  const endParagraph = (): void => {
    const inlines = parseInlines(lines.join("\n"), names);
    if (inlines.length > 0) blocks.push({ kind: "paragraph", inlines });
    lines = [];
  };
  const endQuote = (): void => {
    if (quoted.length > 0)
      blocks.push({ kind: "quote", blocks: parseLines(quoted.join("\n"), names, true) });
    quoted = [];
  };
  const all = text.split("\n");
  for (const [index, line] of all.entries()) {
    if (!isQuoted && line.startsWith("&gt;&gt;&gt;")) {
      endParagraph();
      quoted.push(withoutMarks(line));
      for (const one of all.slice(index + 1)) quoted.push(withoutMarks(one));
      break;
    }
    const quote = isQuoted ? undefined : /^&gt; ?(.*)$/.exec(line)?.[1];
    if (quote !== undefined) {
      endParagraph();
      quoted.push(withoutMarks(quote));
      continue;
    }
    endQuote();
    const item = /^( *)[•◦▪▫‣][\ufe0e\ufe0f]? +(.*)$/.exec(line);
    if (item) {
      endParagraph();
      const depth = Math.floor((item[1] ?? "").length / 4);
      const inlines = parseInlines(item[2] ?? "", names);
      if (items && items.depth === depth && items.list === blocks.at(-1)) items.of.push(inlines);
      else {
        const of = [inlines];
        const list: Block = { kind: "list", ordered: false, start: 1, depth, items: of };
        blocks.push(list);
        items = { depth, list, of };
      }
      continue;
    }
    if (line.trim() === "") endParagraph();
    else lines.push(line);
  }
  endParagraph();
  endQuote();
  return blocks;
}

/** Removes the signs of quotes at the start of a line: a quote in a quote is none in Slack. */
function withoutMarks(line: string): string {
  return line.replace(/^ ?(?:&gt; ?)*/, "");
}

/** A sign that may begin or end bold, italic or struck text. */
interface Sign {
  readonly sign: "*" | "_" | "~";
  readonly canOpen: boolean;
  readonly canClose: boolean;
}

const styles = { "*": "bold", _: "italic", "~": "strike" } as const;

const EMOJI = /:([a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?):/iy;
const REFERENCE = /<([^<>\n]+)>/y;

/** Parses lines: references, emoji, code and marks. Marks do not continue on the next line. */
export function parseInlines(text: string, names: SlackNames): Inline[] {
  const inlines: Inline[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) inlines.push({ kind: "text", text: "\n", style: plain });
    for (const piece of applySigns(scanLine(line, names))) inlines.push(piece);
  }
  return inlines;
}

function scanLine(line: string, names: SlackNames): (Inline | Sign)[] {
  const found: (Inline | Sign)[] = [];
  let start = 0;
  const add = (piece: Inline | Sign, from: number, after: number): void => {
    if (from > start)
      found.push({ kind: "text", text: unescape(line.slice(start, from)), style: plain });
    found.push(piece);
    start = after;
  };
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "<") {
      REFERENCE.lastIndex = at;
      const match = REFERENCE.exec(line);
      if (match === null) continue;
      add(parseReference(match[1] ?? "", names), at, REFERENCE.lastIndex);
    } else if (character === "`") {
      const close = line.indexOf("`", at + 1);
      if (close <= at + 1) continue;
      const code = plainReferences(line.slice(at + 1, close));
      add({ kind: "code", text: code, style: plain }, at, close + 1);
    } else if (character === ":") {
      EMOJI.lastIndex = at;
      const match = EMOJI.exec(line);
      if (match === null) continue;
      const emoji = showEmoji(match[1] ?? "", undefined);
      if (emoji.kind === "text") continue;
      add(emoji, at, EMOJI.lastIndex);
    } else if (character === "*" || character === "_" || character === "~") {
      const before = line.charAt(at - 1);
      const after = line.charAt(at + 1);
      const isRun = before === character || after === character;
      const canOpen = !isRun && !/[\p{L}\p{N}]/u.test(before) && !/^\s?$/.test(after);
      const canClose = !isRun && !/^\s?$/.test(before) && !/[\p{L}\p{N}]/u.test(after);
      if (canOpen || canClose) add({ sign: character, canOpen, canClose }, at, at + 1);
    }
    at = Math.max(at, start - 1);
  }
  if (start < line.length)
    found.push({ kind: "text", text: unescape(line.slice(start)), style: plain });
  return found;
}

/** Pairs signs and gives the pieces between them their style; signs without a partner are text. */
function applySigns(pieces: readonly (Inline | Sign)[]): Inline[] {
  const partners = pairSigns(pieces);
  const open = { bold: 0, italic: 0, strike: 0 };
  return pieces.flatMap((piece, index): Inline[] => {
    if (!("sign" in piece)) return [{ ...piece, style: { ...piece.style, ...styleOf(open) } }];
    const partner = partners.get(index);
    if (partner === undefined) return [{ kind: "text", text: piece.sign, style: styleOf(open) }];
    open[styles[piece.sign]] += partner > index ? 1 : -1;
    return [];
  });
}

function styleOf(open: Readonly<Record<"bold" | "italic" | "strike", number>>): Style {
  return {
    ...(open.bold > 0 && { bold: true }),
    ...(open.italic > 0 && { italic: true }),
    ...(open.strike > 0 && { strike: true }),
  };
}

/** Returns the partner of each sign that has one, by index. Linear: an opening sign is dropped once. */
function pairSigns(pieces: readonly (Inline | Sign)[]): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  const open: { readonly sign: string; readonly index: number }[] = [];
  const counts = new Map<string, number>();
  const drop = (): { readonly sign: string; readonly index: number } | undefined => {
    const last = open.pop();
    if (last) counts.set(last.sign, (counts.get(last.sign) ?? 0) - 1);
    return last;
  };
  for (const [index, piece] of pieces.entries()) {
    if (!("sign" in piece)) continue;
    const isOpen = (counts.get(piece.sign) ?? 0) > 0;
    // Nothing between two signs is no text to mark.
    if (piece.canClose && isOpen && open.at(-1)?.index !== index - 1) {
      let opener = drop();
      while (opener !== undefined && opener.sign !== piece.sign) opener = drop();
      if (opener === undefined) continue;
      partners.set(opener.index, index);
      partners.set(index, opener.index);
    } else if (piece.canOpen && !isOpen) {
      open.push({ sign: piece.sign, index });
      counts.set(piece.sign, 1);
    }
  }
  return partners;
}

/** Parses what is between `<` and `>`. */
function parseReference(reference: string, names: SlackNames): Inline {
  const bar = reference.indexOf("|");
  const target = bar < 0 ? reference : reference.slice(0, bar);
  const label = bar < 0 ? undefined : unescape(reference.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith("@")) return mentionUser(names, id, label?.replace(/^@/, ""));
  if (target.startsWith("#")) return linkChannel(names, id, label?.replace(/^#/, ""));
  if (target.startsWith("!")) return parseCommand(id, label);
  const url = unescape(target);
  if (/^mailto:/i.test(url) && (label ?? url.slice(7)) === url.slice(7))
    return { kind: "text", text: url.slice(7), style: plain };
  return { kind: "link", url, text: label ?? url, style: plain };
}

/** Parses `!here`, `!subteam^ID` and `!date^SECONDS^FORMAT`. */
function parseCommand(command: string, label: string | undefined): Inline {
  const [kind = "", first = ""] = command.split("^", 2);
  if (kind === "date") return showTime(/^\d{1,12}$/.test(first) ? Number(first) : NaN, label ?? "");
  if (kind === "subteam")
    return { kind: "text", text: `@${(label || first).replace(/^@/, "")}`, style: plain };
  if (/^(?:here|channel|everyone|group)$/.test(kind)) return mentionEverybody(kind);
  return { kind: "text", text: label || kind, style: plain };
}

/** Shows references in code as Slack does: by their label or URL. */
function plainReferences(code: string): string {
  return unescape(
    code.replaceAll(/<([^<>|\n]+)(?:\|([^<>\n]*))?>/g, (_, target: string, label?: string) =>
      /^[@#!]/.test(target)
        ? `${target.charAt(0).replace("!", "@")}${label || target.slice(1)}`
        : label || target,
    ),
  );
}

const escapes: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

function unescape(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt);/g, (entity) => escapes[entity] ?? entity);
}
