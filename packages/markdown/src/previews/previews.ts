import type { Document, Inline } from "../document.ts";
import { uploadPath } from "../links/target.ts";
import type { LinkedFile, Lookups } from "../types.ts";
import { isPreviewable, previewHtml } from "./preview-html.ts";

/** Maximum number of previewable files that a text links to; a text with more has no previews at all (files.md §5). */
const maxPreviews = 24;

type Link = Extract<Inline, { readonly kind: "link" }>;

/** Collects the previews of a text while it is rendered: one for each file, after the paragraph of its first link. */
export class Previews {
  readonly #allowed: boolean;
  readonly #shown = new Set<string>();
  #waiting: string[] = [];
  /** Whether the HTML has a preview or an inline image. */
  hasImage = false;
  /** Files whose placeholders are shown. */
  readonly pending = new Set<string>();

  constructor({ pieces }: Document, { uploads }: Lookups) {
    this.#allowed = uploads.size > 0 && countPreviewable(pieces, uploads) <= maxPreviews;
  }

  /** Adds the preview of a linked file that the author may read, unless the text already has a preview of the file. */
  add(path: string, file: LinkedFile, { label, href, isQuoted }: Link): void {
    if (!this.#allowed || isQuoted || !isPreviewable(file) || this.#shown.has(path)) return;
    this.#shown.add(path);
    const text = textOf(label);
    this.#waiting.push(previewHtml(path, file, isUrl(text, href) ? undefined : text));
    this.note(path, file);
  }

  /** Records that the HTML shows a file. */
  note(path: string, { image }: LinkedFile): void {
    this.hasImage = true;
    if (image === "pending") this.pending.add(path);
  }

  /**
   * Returns the previews added since the last call, for the caller to place.
   * @param asBlocks whether a line break follows each
   */
  take(asBlocks: boolean): string {
    const html = this.#waiting.map((preview) => (asBlocks ? `${preview}\n` : preview)).join("");
    this.#waiting = [];
    return html;
  }
}

/** Whether the text of a link is its target. */
export function isUrl(text: string, href: string): boolean {
  return text === href || href.endsWith(`://${text}`) || text === "";
}

/** Returns the text of a link without markup. */
export function textOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.kind === "text" || node.kind === "code") return node.text;
      if (node.kind === "break") return " ";
      return "source" in node ? node.source : "";
    })
    .join("");
}

function countPreviewable(pieces: Document["pieces"], uploads: Lookups["uploads"]): number {
  const found = new Set<string>();
  for (const piece of pieces) {
    if (typeof piece === "string") continue;
    const link = piece.kind === "lone-upload" || piece.kind === "image" ? piece.link : piece;
    if (link.kind !== "link" || link.isQuoted) continue;
    const path = uploadPath(link.href) ?? "";
    const file = uploads.get(path);
    const isInPlace = piece.kind === "image" && file?.image !== undefined;
    if (file && isPreviewable(file) && !isInPlace) found.add(path);
  }
  return found.size;
}
