import type { Token } from "markdown-it";
import { codeLanguage } from "./blocks/code-languages.ts";
import { hasTokenizer } from "./code/tokenizers.ts";
import type { Document, Inline, UnsettledPiece } from "./document.ts";
import { engine } from "./engine.ts";
import type { InlineContext } from "./inline/cursor.ts";
import { scanInline } from "./inline/scan.ts";
import { uploadPath } from "./links/target.ts";
import { NameCollector } from "./name-collector.ts";
import { isUrl, textOf } from "./previews/previews.ts";
import { codeOf, renderToken } from "./render-blocks.ts";
import { settledHtml } from "./render-inline.ts";
import type { ParsedMessage } from "./types.ts";

/** The sender's options. */
export interface ParseOptions {
  /** Whether to turn `:)` into an emoji; default false. */
  readonly translateEmoticons?: boolean;
}

/**
 * Parses the text and returns the names to look up before `renderMessage`. Pure. Treats every name as if it existed.
 */
export function parseMessage(content: string, options: ParseOptions = {}): ParsedMessage {
  const translateEmoticons = options.translateEmoticons ?? false;
  const names = new NameCollector(translateEmoticons);
  const document = parseDocument(content, names);
  return {
    content,
    translateEmoticons,
    names: names.names(),
    hasWildcard: names.wildcards,
    customEmojiNames: [...names.customEmojiNames],
    references: names.references,
    uploadPaths: content.includes("user_uploads/") ? uploadPathsIn(document) : [],
    document,
  };
}

/** Returns the uploaded files that links of the document may target, each once. */
function uploadPathsIn({ pieces }: Document): string[] {
  const paths = pieces.map((piece) => {
    if (typeof piece === "string") return undefined;
    const link = piece.kind === "image" || piece.kind === "lone-upload" ? piece.link : piece;
    return link.kind === "link" ? uploadPath(link.href) : undefined;
  });
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** Parses the blocks of `content` and their inline markup. */
export function parseDocument(content: string, context: InlineContext): Document {
  const tokens: Token[] = [];
  // The engine uses NUL internally, lone surrogates are not characters, and lines end with \n.
  const source = /[\r\0\p{Surrogate}]/u.test(content)
    ? content.replace(/\r\n?/g, "\n").replace(/[\0\p{Surrogate}]/gu, "\ufffd")
    : content;
  engine.block.parse(source, engine, {}, tokens);
  const pieces: Array<Document["pieces"][number]> = [];
  const texts: string[] = [];
  let html = "";
  const add = (piece: Document["pieces"][number]) => {
    if (html !== "") pieces.push(html);
    html = "";
    pieces.push(piece);
  };
  // Most texts link to no uploaded file, and need no places for previews.
  const hasUploads = source.includes("user_uploads/");
  let quotes = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.type === "inline") {
      texts.push(token.content);
      const nodes = scanInline(token.content, context, quotes > 0);
      const alone = hasUploads && quotes === 0 ? loneUpload(nodes, tokens[i - 1]) : undefined;
      if (alone) {
        html = html.slice(0, -"<p>".length);
        add({ kind: "lone-upload", link: alone });
        continue;
      }
      for (const node of nodes) {
        const settled = settledHtml(node);
        if (settled !== undefined) html += settled;
        else add(quotes > 0 ? quoted(node) : (node as UnsettledPiece));
      }
    } else if (token.type === "math_block") add({ kind: "math-block", tex: token.content.trim() });
    else if (token.type === "fence" && hasTokenizer(codeLanguage(token.info))) {
      const language = codeLanguage(token.info);
      add({ kind: "code-block", language, code: codeOf(token) });
    } else {
      if (token.type === "blockquote_open") quotes++;
      else if (token.type === "blockquote_close") quotes--;
      const ends = /^(?:paragraph|heading|table)_close$/.test(token.type);
      const last = pieces.at(-1);
      const isReplaced =
        ends && html === "" && typeof last === "object" && last.kind === "lone-upload";
      if (isReplaced) continue;
      html += renderToken(token, tokens[i + 1]);
      if (ends && hasUploads && quotes === 0) add({ kind: "previews", asBlocks: !token.hidden });
    }
  }
  if (html !== "") pieces.push(html);
  return { pieces, texts };
}

/** Marks links as quoted. */
function quoted(node: Inline): UnsettledPiece {
  if (node.kind === "link") return { ...node, isQuoted: true };
  if (node.kind === "image") return { ...node, link: { ...node.link, isQuoted: true } };
  return node as UnsettledPiece;
}

/** Returns the only link of a paragraph that is nothing but the URL of an uploaded file. @param open the token before it */
function loneUpload(nodes: readonly Inline[], open: Token | undefined) {
  const [node] = nodes;
  if (nodes.length !== 1 || node?.kind !== "link") return undefined;
  if (open?.type !== "paragraph_open" || open.hidden) return undefined;
  const isBare = isUrl(textOf(node.label), node.href) && uploadPath(node.href) !== undefined;
  return isBare ? node : undefined;
}
