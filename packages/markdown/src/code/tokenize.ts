import { streamOf, tokenizerOf } from "./tokenizers.ts";

/** A part of a line of code. */
export interface CodeToken {
  readonly text: string;
  /** The tokenizer's name for it, such as `keyword` or `string property`; `""` for none. */
  readonly style: string;
}

/** Maximum characters of a line: the time of some tokenizers grows with the square of its length. */
const LONGEST_LINE = 500;

/** Maximum calls in which a tokenizer may change its state without reading a character. CodeMirror has the same limit. */
const MOST_IDLE_STEPS = 10;

/**
 * Splits code into lines, and each line into tokens. The texts of a line's tokens make up the line.
 * @returns undefined if a line is too long or the tokenizer fails
 */
export function tokenize(language: string, code: string): CodeToken[][] | undefined {
  const lines = code.split("\n");
  if (lines.some((line) => line.length > LONGEST_LINE)) return undefined;
  const tokenizer = tokenizerOf(language);
  try {
    const state = tokenizer.startState?.(4) ?? {};
    return lines.map((line) => {
      // Lines of spaces are not tokenized, because some tokenizers are slow at them.
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
