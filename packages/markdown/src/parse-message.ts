import type { Token } from "markdown-it";
import type { Document, UnsettledPiece } from "./document.ts";
import { engine } from "./engine.ts";
import type { InlineContext } from "./inline/cursor.ts";
import { scanInline } from "./inline/scan.ts";
import { uploadPath } from "./links/target.ts";
import { NameCollector } from "./name-collector.ts";
import { renderToken } from "./render-blocks.ts";
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
  const paths = pieces.map((piece) =>
    typeof piece === "string" || piece.kind !== "link" ? undefined : uploadPath(piece.href),
  );
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
  let quotes = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.type === "inline") {
      texts.push(token.content);
      for (const node of scanInline(token.content, context, quotes > 0)) {
        const settled = settledHtml(node);
        if (settled === undefined) add(node as UnsettledPiece);
        else html += settled;
      }
    } else if (token.type === "math_block") add({ kind: "math-block", tex: token.content.trim() });
    else {
      if (token.type === "blockquote_open") quotes++;
      else if (token.type === "blockquote_close") quotes--;
      html += renderToken(token, tokens[i + 1]);
    }
  }
  if (html !== "") pieces.push(html);
  return { pieces, texts };
}
