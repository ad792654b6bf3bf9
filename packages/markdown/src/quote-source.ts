/** What the fence of a quote takes at most, of a text of 10,000 characters: it has runs of 140 different lengths. */
export const longestQuoteFrame = 300;

/**
 * The Markdown that quotes a short text: each of its lines behind a `>`. Nothing in the text ends the quote, or goes on
 * behind it.
 */
export function quotedLines(text: string): string {
  const lines = text.split(/[\r\n\u2028\u2029]+/).filter((line) => line.trim() !== "");
  return lines.map((line) => `> ${line.trimEnd()}`).join("\n");
}

/** The Markdown that quotes a message, whatever blocks it has; to stand at the end of a text. */
export function fencedQuote(text: string): string {
  const fence = unusedFence(text);
  return `${fence}quote\n${text}\n${fence}`;
}

/** The shortest fence that stands nowhere in the text: only the same one would end the quote. */
function unusedFence(text: string): string {
  const taken = new Set((text.match(/`{3,}/g) ?? []).map((run) => run.length));
  let length = 3;
  while (taken.has(length)) length++;
  return "`".repeat(length);
}
