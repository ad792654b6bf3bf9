import { textsOfWords } from "./words.ts";

/**
 * The words of HTML or of escaped text, with a space between them: what is stored for searching, and what is searched
 * for (messages.md §5). PostgreSQL only stems them. It is not left to find them: its parser takes typographic quotes for
 * letters where the database has the locale C, `and/or` for the name of a file, and text for a part of a tag where an
 * attribute ends with a backslash.
 */
export function searchText(html: string): string {
  return textsOfWords(html).join(" ");
}
