import { wordsOf } from "./words.ts";

const begin = '<span class="highlight">';
const end = "</span>";

/** Returns the words that `highlight` would match, each once. */
export function highlightableWords(html: string): Set<string> {
  const words = new Set<string>();
  for (const { word, inFormula } of wordsOf(html)) if (!inFormula) words.add(word);
  return words;
}

/**
 * Adds spans around matching words to HTML of `renderMessage` or to escaped text (messages.md §5). Formulas are skipped,
 * because a span would break their MathML. Without the spans the HTML is unchanged.
 */
export function highlight(html: string, matches: (word: string) => boolean): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end: stop, word, inFormula } of wordsOf(html)) {
    if (inFormula || !matches(word)) continue;
    parts.push(html.slice(done, start), begin, html.slice(start, stop), end);
    done = stop;
  }
  if (done === 0) return html;
  parts.push(html.slice(done));
  return parts.join("");
}
