import { streamOf, tokenizerOf } from "./tokenizers.ts";

/** A part of a line of code. */
export interface CodeToken {
  readonly text: string;
  /** The tokenizer's name for it, such as `keyword` or `string property`; `""` for none. */
  readonly style: string;
}

/** Limit of characters in a line: some tokenizers take time that grows with the square of its length. */
const LONGEST_LINE = 500;

/** How often a tokenizer may only change its state; the limit of CodeMirror. */
const MOST_IDLE_STEPS = 10;

/**
 * Splits code into lines of tokens; the texts of the tokens are the line.
 * @returns undefined if a line is too long or the tokenizer fails
 */
export function tokenize(language: string, code: string): CodeToken[][] | undefined {
  const lines = code.split("\n");
  if (lines.some((line) => line.length > LONGEST_LINE)) return undefined;
  const tokenizer = tokenizerOf(language);
  try {
    const state = tokenizer.startState?.(4) ?? {};
    return lines.map((line) => {
      // A line of spaces has no tokens, and some tokenizers are slow at it.
      if (line.trim() !== "") return tokensOf(line, tokenizer, state);
      tokenizer.blankLine?.(state, 4);
      return line === "" ? [] : [{ text: line, style: "" }];
    });
  } catch {
    return undefined;
  }
}

function tokensOf(
  line: string,
  tokenizer: ReturnType<typeof tokenizerOf>,
  state: unknown,
): CodeToken[] {
  const tokens: CodeToken[] = [];
  const stream = streamOf(line);
  while (!stream.eol()) {
    stream.start = stream.pos;
    let style = tokenizer.token(stream, state);
    for (let idle = 1; stream.pos <= stream.start; idle++) {
      if (idle === MOST_IDLE_STEPS) throw new Error("the tokenizer does not advance");
      style = tokenizer.token(stream, state);
    }
    tokens.push({ text: stream.current(), style: style ?? "" });
  }
  return tokens;
}
