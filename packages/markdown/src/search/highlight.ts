import { wordsOf } from "./words.ts";

const begin = '<span class="highlight">';
const end = "</span>";

/** The words of which `highlight` asks, each once. */
export function highlightableWords(html: string): Set<string> {
  const words = new Set<string>();
  for (const { word, inFormula } of wordsOf(html)) if (!inFormula) words.add(word);
  return words;
}

/**
 * HTML of `renderMessage`, or escaped text, with spans around the words that match (messages.md §5). Not in formulas,
 * whose MathML would end at a span. Without the spans it is the same HTML.
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
