import { textsOfWords } from "./words.ts";

/**
 * Returns the words of HTML or escaped text, joined by spaces, for the search index and for queries (messages.md §5).
 * PostgreSQL only stems them. Its own parser takes typographic quotes for letters in locale C, `and/or` for a file name,
 * and text for part of a tag after an attribute that ends with a backslash.
 */
export function searchText(html: string): string {
  return textsOfWords(html).join(" ");
}
