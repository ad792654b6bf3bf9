import { parseMessage, type ParsedMessage } from "@carillon/markdown";

/**
 * Parses texts. What has been read ahead, outside the transaction that sends it, is not parsed again in it: a list of
 * 10,000 characters takes 10 ms, and no transaction is to wait for hundreds of them.
 */
export class TextReader {
  readonly #plain = new Map<string, ParsedMessage>();
  readonly #withEmoticons = new Map<string, ParsedMessage>();

  /** Parses a text and keeps the result for {@link parse}. */
  readAhead(content: string, translateEmoticons = false): ParsedMessage {
    const parsed = this.parse(content, translateEmoticons);
    this.#of(translateEmoticons).set(content, parsed);
    return parsed;
  }

  /** The parsed text: the one that has been read ahead, where there is one. */
  parse(content: string, translateEmoticons = false): ParsedMessage {
    return (
      this.#of(translateEmoticons).get(content) ?? parseMessage(content, { translateEmoticons })
    );
  }

  #of(translateEmoticons: boolean): Map<string, ParsedMessage> {
    return translateEmoticons ? this.#withEmoticons : this.#plain;
  }
}
