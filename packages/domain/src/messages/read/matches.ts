import { column, statement, type Sql } from "@carillon/db";
import { escapeCodeBlock, highlight, highlightableWords } from "@carillon/markdown";
import { firstCodePoints } from "@carillon/kit";
import { setImmediate } from "node:timers/promises";

import type { WordSearch } from "./narrow/operator.ts";

/** A matching message's content and topic as HTML, with what was searched for highlighted (messages.md §5). */
export interface Match {
  match_content: string;
  match_subject: string;
}

/** A message's HTML, and its topic; `""` for a direct message. */
export interface Matching {
  readonly topic: string;
  readonly renderedContent: string;
}

const matchingWords = statement({
  name: "words-by-lexeme",
  text: `SELECT w.word FROM unnest($1::text[]) AS w (word)
    WHERE tsvector_to_array(to_tsvector('english', w.word)) && $2::text[]`,
  row: { word: column.text.neverNullHere() },
});

/** Words that are stemmed by one statement, in about 10 ms. */
const page = 5_000;

/**
 * The matches of messages that a search has found, in their order; without a search nothing is highlighted. PostgreSQL says
 * which words are meant, as it did when the messages were stored.
 */
export async function matchesOf(
  sql: Sql,
  search: WordSearch | undefined,
  messages: readonly Matching[],
): Promise<Match[]> {
  const escaped = messages.map(({ topic }) => escapeCodeBlock(topic));
  const isMeant = await meantBy(sql, search?.lexemes ?? [], escaped, messages);
  const matches: Match[] = [];
  for (const [i, { renderedContent }] of messages.entries()) {
    matches.push({
      match_content: highlight(renderedContent, isMeant),
      match_subject: highlight(escaped[i] ?? "", isMeant),
    });
    // The longest take 5 ms and more.
    await setImmediate();
  }
  return matches;
}

/** Stems begin as their words do: only words that begin like a lexeme are asked about. */
async function meantBy(
  sql: Sql,
  lexemes: readonly string[],
  topics: readonly string[],
  messages: readonly Matching[],
): Promise<(word: string) => boolean> {
  const initials = new Set(lexemes.map((lexeme) => firstCodePoints(lexeme, 1)));
  const asked = new Set<string>();
  const ask = (html: string) => {
    for (const word of highlightableWords(html))
      if (initials.has(firstCodePoints(word.toLowerCase(), 1))) asked.add(word);
  };
  if (lexemes.length > 0) {
    for (const topic of topics) ask(topic);
    for (const { renderedContent } of messages) {
      ask(renderedContent);
      await setImmediate();
    }
  }
  const words = [...asked];
  const meant = new Set<string>();
  for (let start = 0; start < words.length; start += page)
    for (const { word } of await sql.rows(matchingWords, [
      words.slice(start, start + page),
      lexemes,
    ]))
      meant.add(word);
  return (word) => meant.has(word);
}
