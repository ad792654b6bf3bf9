import type { Fragment } from "@carillon/model";
import { errors, type NarrowTerm } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import { escapeCodeBlock, searchText } from "@carillon/markdown";

import { narrowOperator, operandTypes } from "./operator.ts";

/**
 * More than anybody writes. Each phrase is looked for in the text of each message that has its words: half a millisecond for
 * the longest of either, where a text is made for it.
 */
const most = { characters: 500, words: 40, phrases: 10, quoted: 200 };

/** `search`: messages with all the words, and the quoted phrases as they are. */
export const search = narrowOperator({
  names: ["search"],
  operand: operandTypes.someText,
  async compile(operand, { lookups }) {
    const lexemes = await lookups.lexemes(searchText(escapeCodeBlock(operand)));
    if (lexemes.length > most.words)
      throw errors.badNarrow(`a search takes ${most.words} different words, not ${lexemes.length}`);
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

/** The terms with those that search as one: a phrase may begin in one and end in the next. */
export function joinSearches(terms: readonly NarrowTerm[]): readonly NarrowTerm[] {
  const searches = terms.filter(({ operator }) => operator === "search");
  if (searches.length < 2) return terms;
  const joined = { operator: "search", operand: textOf(searches), negated: false };
  return [...terms.filter(({ operator }) => operator !== "search"), joined];
}

/**
 * Refuses more than is searched for at once.
 * @param terms whose operands have been checked
 * @throws ApiError `BAD_REQUEST`
 */
export function checkSearches(terms: readonly NarrowTerm[]): void {
  const text = textOf(terms.filter(({ operator }) => operator === "search"));
  if (isLongerThan(text, most.characters))
    throw errors.badRequest(
      `narrow: the operands of search must not have more than ${most.characters} characters in all`,
    );
  const phrases = phrasesOf(text);
  if (phrases.length > most.phrases || isLongerThan(phrases.join(""), most.quoted))
    throw errors.badRequest(
      `narrow: the operands of search must not have more than ${most.phrases} quoted phrases of ${most.quoted} characters in all`,
    );
}

function textOf(terms: readonly NarrowTerm[]): string {
  return terms.map(({ operand }) => operand).join(" ");
}

/** What stands between quotation marks, each once. One without its other is punctuation. */
function phrasesOf(text: string): string[] {
  const phrases = [...text.matchAll(/"([^"]+)"/g)].map(([, phrase = ""]) => phrase);
  return [...new Set(phrases.filter((phrase) => phrase.trim() !== ""))];
}

/** Put together here: PostgreSQL would take a word that stands twice for two. */
function hasAll(lexemes: readonly string[]): Fragment {
  const quoted = lexemes.map((lexeme) => `'${lexeme.replace(/['\\]/g, "$&$&")}'`);
  return (values) => `m.search @@ ${values.add(quoted.join(" & "), "tsquery")}`;
}

/**
 * As they were written, without regard to case. As expressions that are taken literally: an automaton reads each letter of
 * the text once, where `strpos` and `LIKE` come back to it as often as the phrase is long.
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
