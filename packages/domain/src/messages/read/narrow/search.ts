import type { Fragment } from "@carillon/model";
import { errors, type NarrowTerm } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import { escapeCodeBlock, searchText } from "@carillon/markdown";

import { narrowOperator, operandTypes } from "./operator.ts";

/**
 * Limits that no user reaches. Each phrase is searched in the text of each message that contains its words: at most
 * half a millisecond for the longest phrase and text, even if constructed for the worst case.
 */
const limits = { characters: 500, words: 40, phrases: 10, quoted: 200 };

/** `search`: messages that contain all the words, and the quoted phrases literally. */
export const search = narrowOperator({
  names: ["search"],
  operand: operandTypes.someText,
  async compile(operand, { lookups }) {
    const lexemes = await lookups.lexemes(searchText(escapeCodeBlock(operand)));
    if (lexemes.length > limits.words)
      throw errors.badNarrow(
        `a search must not have more than ${limits.words} different words, but has ${lexemes.length}`,
      );
    return {
      search: {
        lexemes,
        hasWords: lexemes.length > 0 ? hasAll(lexemes) : () => "false",
        hasPhrases: hasPhrases(phrasesOf(operand)),
      },
      ignoresNegation: true,
    };
  },
});

/** Joins all search terms into one: a phrase may begin in one term and end in the next. */
export function joinSearches(terms: readonly NarrowTerm[]): readonly NarrowTerm[] {
  const searches = terms.filter(({ operator }) => operator === "search");
  if (searches.length < 2) return terms;
  const joined = { operator: "search", operand: textOf(searches), negated: false };
  return [...terms.filter(({ operator }) => operator !== "search"), joined];
}

/**
 * Checks the limits of a search.
 * @param terms whose operand types have been checked
 * @throws ApiError `BAD_REQUEST`
 */
export function checkSearches(terms: readonly NarrowTerm[]): void {
  const text = textOf(terms.filter(({ operator }) => operator === "search"));
  if (isLongerThan(text, limits.characters))
    throw errors.badRequest(
      `narrow: the operands of search must not have more than ${limits.characters} characters in all`,
    );
  const phrases = phrasesOf(text);
  if (phrases.length > limits.phrases || isLongerThan(phrases.join(""), limits.quoted))
    throw errors.badRequest(
      `narrow: the operands of search must not have more than ${limits.phrases} quoted phrases of ${limits.quoted} characters in all`,
    );
}

function textOf(terms: readonly NarrowTerm[]): string {
  return terms.map(({ operand }) => operand).join(" ");
}

/** Returns the texts between quotation marks, without duplicates. An unpaired quotation mark is punctuation. */
function phrasesOf(text: string): string[] {
  const phrases = [...text.matchAll(/"([^"]+)"/g)].map(([, phrase = ""]) => phrase);
  return [...new Set(phrases.filter((phrase) => phrase.trim() !== ""))];
}

/** Builds the tsquery here: PostgreSQL would not merge duplicate words. */
function hasAll(lexemes: readonly string[]): Fragment {
  const quoted = lexemes.map((lexeme) => `'${lexeme.replace(/['\\]/g, "$&$&")}'`);
  return (values) => `m.search @@ ${values.add(quoted.join(" & "), "tsquery")}`;
}

/**
 * Matches phrases literally, ignoring case. Uses literal regular expressions: their automaton reads each character of
 * the text once, whereas `strpos` and `LIKE` may reread it once for each character of the phrase.
 */
function hasPhrases(phrases: readonly string[]): Fragment {
  if (phrases.length === 0) return () => "true";
  return (values) => `NOT EXISTS (
    SELECT FROM unnest(${values.add(
      phrases.map((phrase) => `***=${phrase}`),
      "text[]",
    )}) AS p (phrase)
    WHERE NOT (m.content ~* p.phrase OR m.is_channel AND m.topic ~* p.phrase))`;
}
