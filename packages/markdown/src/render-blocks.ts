import type { Token } from "markdown-it";
import { codeLanguage } from "./blocks/code-languages.ts";
import { renderCode } from "./code/render-code.ts";
import type { CodeBlock, Document, Unsettled } from "./document.ts";
import { escapeAttribute, escapeCodeBlock } from "./escape.ts";
import { renderMathBlock } from "./math.ts";
import { renderPiece } from "./render-inline.ts";
import { checkLength, LONGEST_HTML, takeMarkup, type Rendering } from "./rendering.ts";

/** Renders a document: blocks separated by one newline, none at the end (rendering.md §1). */
export function renderBlocks({ pieces }: Document, rendering: Rendering): string {
  let html = "";
  const code: PlacedCode[] = [];
  for (const piece of pieces) {
    if (typeof piece === "object" && piece.kind === "code-block")
      code.push({ block: piece, place: html.length });
    html += render(piece, rendering);
    checkLength(html);
  }
  if (code.length > 0) html = withTokens(html, code, rendering);
  return html.endsWith("\n") ? html.slice(0, -1) : html;
}

/** A block of code, and where its HTML begins. */
interface PlacedCode {
  readonly block: CodeBlock;
  readonly place: number;
}

/**
 * Adds the spans of tokens to blocks of code, if they fit. They come last, so that their HTML takes no mention's place in
 * the text's allowance.
 */
function withTokens(html: string, code: readonly PlacedCode[], rendering: Rendering): string {
  let marked = "";
  let at = 0;
  for (const { block, place } of code) {
    const plain = codeBlockHtml(block.language, escapeCodeBlock(block.code));
    const tokens = renderCode(block, rendering);
    if (tokens === undefined) continue;
    const made = codeBlockHtml(block.language, tokens);
    const length = marked.length + html.length - at + made.length - plain.length;
    if (length > LONGEST_HTML || !takeMarkup(rendering, made.length, plain.length)) break;
    marked += html.slice(at, place) + made;
    at = place + plain.length;
  }
  return marked + html.slice(at);
}

function render(piece: string | Unsettled, rendering: Rendering): string {
  if (typeof piece === "string") return piece;
  switch (piece.kind) {
    case "code-block":
      return codeBlockHtml(piece.language, escapeCodeBlock(piece.code));
    case "math-block":
      return `${renderMathBlock(piece, rendering)}\n`;
    case "previews":
      return rendering.previews.take(piece.asBlocks);
    case "lone-upload": {
      const link = renderPiece(piece.link, rendering);
      const preview = rendering.previews.take(true);
      return preview === "" ? `<p>${link}</p>\n` : preview;
    }
    default:
      return renderPiece(piece, rendering);
  }
}

/** Renders a block token that is neither text nor a formula. @param next the following token */
export function renderToken(token: Token, next: Token | undefined): string {
  switch (token.type) {
    case "paragraph_open":
      return token.hidden ? "" : "<p>";
    case "paragraph_close":
      return token.hidden ? "" : "</p>\n";
    case "heading_open":
      return `<${token.tag}>`;
    case "list_item_open":
      return next?.hidden === true || next?.type === "list_item_close" ? "<li>" : "<li>\n";
    case "ordered_list_open": {
      const start = token.attrGet("start");
      return start === null ? "<ol>\n" : `<ol start="${start}">\n`;
    }
    case "th_open":
    case "td_open":
      return cell(token);
    case "hr":
      return "<hr>\n";
    case "fence":
    case "code_block":
      return codeBlock(token);
    case "spoiler_open":
      return `<div class="spoiler-block"><div class="spoiler-header">\n`;
    case "spoiler_content":
      return `</div><div class="spoiler-content" aria-hidden="true">\n`;
    case "spoiler_close":
      return "</div></div>\n";
    default:
      return token.nesting === 1 ? `<${token.tag}>\n` : `</${token.tag}>\n`;
  }
}

function cell(token: Token): string {
  const style = token.attrGet("style");
  if (style === null) return `<${token.tag}>`;
  const alignment = String(style).slice("text-align:".length);
  return `<${token.tag} style="text-align: ${alignment};">`;
}

function codeBlock(token: Token): string {
  const language = token.info === "" ? "" : codeLanguage(token.info);
  return codeBlockHtml(language, escapeCodeBlock(codeOf(token)));
}

/** Returns the text of a block of code, with a line break at its end. */
export function codeOf({ content }: Token): string {
  return content.endsWith("\n") ? content : `${content}\n`;
}

/**
 * Returns the HTML of a code block (rendering.md §2).
 * @param code HTML
 */
function codeBlockHtml(language: string, code: string): string {
  const attribute = language === "" ? "" : ` data-code-language="${escapeAttribute(language)}"`;
  return `<div class="codehilite"${attribute}><pre><span></span><code>${code}</code></pre></div>\n`;
}
