import { parseMessage, type ParsedMessage } from "@carillon/markdown";

/**
 * Parses texts, and keeps those that were parsed before the transaction that sends them: a list of 10,000 characters takes
 * 10 ms, and a transaction must not wait for hundreds of them.
 */
export class TextParser {
  readonly #plain = new Map<string, ParsedMessage>();
  readonly #withEmoticons = new Map<string, ParsedMessage>();

  /** Parses a text and keeps the result for {@link parse}. */
  parseAhead(content: string, translateEmoticons = false): ParsedMessage {
    const parsed = this.parse(content, translateEmoticons);
    this.#of(translateEmoticons).set(content, parsed);
    return parsed;
  }

  /** Returns the kept result of {@link parseAhead}, or parses the text. */
  parse(content: string, translateEmoticons = false): ParsedMessage {
    return (
      this.#of(translateEmoticons).get(content) ?? parseMessage(content, { translateEmoticons })
    );
  }

  #of(translateEmoticons: boolean): Map<string, ParsedMessage> {
    return translateEmoticons ? this.#withEmoticons : this.#plain;
  }
}
