/** Maximum length of a quote's fences for a text of 10,000 characters, which can contain runs of 140 different lengths. */
export const maxQuoteFrameLength = 300;

/**
 * Returns Markdown that quotes a short text, each line after a `>`. Nothing in the text can end the quote early or continue
 * after it.
 */
export function quotedLines(text: string): string {
  const lines = text.split(/[\r\n\u2028\u2029]+/).filter((line) => line.trim() !== "");
  return lines.map((line) => `> ${line.trimEnd()}`).join("\n");
}

/** Returns Markdown that quotes a message with any blocks; it must be at the end of a text. */
export function fencedQuote(text: string): string {
  const fence = unusedFence(text);
  return `${fence}quote\n${text}\n${fence}`;
}

/** Returns the shortest fence that the text does not contain. */
function unusedFence(text: string): string {
  const taken = new Set((text.match(/`{3,}/g) ?? []).map((run) => run.length));
  let length = 3;
  while (taken.has(length)) length++;
  return "`".repeat(length);
}
