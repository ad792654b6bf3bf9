import { escapeCodeBlock } from "../escape.ts";
import { TokenClasses } from "./token-classes.ts";
import { tokenize } from "./tokenize.ts";

/**
 * Returns code as HTML. Each run of tokens with the same Pygments class is one span (rendering.md §2). The text content of
 * the HTML is the code.
 * @param language the canonical name of a language that has a tokenizer
 * @returns undefined if the code cannot be tokenized
 */
export function highlightCode(language: string, code: string): string | undefined {
  const lines = tokenize(language, code);
  if (lines === undefined) return undefined;
  const classes = new TokenClasses(language);
  return lines.map((line) => lineHtml(line, classes)).join("\n");
}

function lineHtml(line: NonNullable<ReturnType<typeof tokenize>>[number], classes: TokenClasses) {
  let html = "";
  let run = "";
  let runClass = "";
  const end = () => {
    const text = escapeCodeBlock(run);
    html += runClass === "" ? text : `<span class="${runClass}">${text}</span>`;
    run = "";
  };
  for (const [index, { text }] of line.entries()) {
    const name = classes.next(line, index);
    if (name !== runClass) end();
    runClass = name;
    run += text;
  }
  end();
  return html;
}
