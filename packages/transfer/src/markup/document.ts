/** How a piece of text is shown. */
export interface Style {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
}

/** A piece of a paragraph. */
export type Inline =
  /** Text without markup, which may have line breaks. */
  | { readonly kind: "text"; readonly text: string; readonly style: Style }
  | { readonly kind: "code"; readonly text: string; readonly style: Style }
  | { readonly kind: "link"; readonly url: string; readonly text: string; readonly style: Style }
  /** Markdown of ours, such as a mention, and the text that it shows. */
  | {
      readonly kind: "markup";
      readonly source: string;
      readonly text: string;
      readonly style: Style;
    };

/** A part of a message that begins on a line of its own. */
export type Block =
  | { readonly kind: "paragraph"; readonly inlines: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "list";
      readonly ordered: boolean;
      /** Of the first item. */
      readonly start: number;
      /** From 0. */
      readonly depth: number;
      readonly items: readonly (readonly Inline[])[];
    }
  | { readonly kind: "table"; readonly rows: readonly (readonly (readonly Inline[])[])[] };

export const plain: Style = {};

/** A paragraph of text without markup. */
export function textBlock(text: string, style: Style = plain): Block {
  return { kind: "paragraph", inlines: [{ kind: "text", text, style }] };
}

/** Returns what blocks show, without markup, in one line. */
export function shownText(blocks: readonly Block[]): string {
  return blocks.map(shownBlock).join(" ").replaceAll(/\s+/g, " ").trim();
}

function shownBlock(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return shown(block.inlines);
    case "code":
      return block.text;
    case "quote":
      return shownText(block.blocks);
    case "list":
      return block.items.map(shown).join(" ");
    case "table":
      return block.rows.map((row) => row.map(shown).join(" ")).join(" ");
  }
}

function shown(inlines: readonly Inline[]): string {
  return inlines.map(({ text }) => text).join("");
}
