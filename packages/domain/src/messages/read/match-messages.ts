import { setImmediate } from "node:timers/promises";

import type { NarrowTerm } from "@carillon/contract";
import { notNull, type Sql, statement } from "@carillon/db";
import { firstCodePoints } from "@carillon/kit";
import { escapeCodeBlock, highlight, highlightableWords } from "@carillon/markdown";
import { loadRealm, type Reader } from "@carillon/model";

import { findMessages, foundInRefusedChannel } from "./find-messages.ts";
import { checkTerms, compileNarrow } from "./narrow/compile.ts";
import { narrowLookups } from "./narrow/lookups.ts";
import type { WordSearch } from "./narrow/operator.ts";
import { followWith } from "./narrow/operators.ts";
import { checkAmount, type RequestedMessages } from "./request.ts";

const texts = statement({
  name: "texts-of-matches",
  text: `SELECT id, CASE WHEN is_channel THEN topic ELSE '' END AS topic, rendered_content AS "renderedContent"
    FROM messages WHERE id = ANY($1::bigint[]) ORDER BY id`,
});

/** Maximum messages whose texts one statement reads. */
const page = 250;

interface MatchRequest {
  readonly ids: readonly number[];
  readonly narrow: readonly NarrowTerm[];
}

/**
 * Returns, by id, the messages that are in the viewer's personal history and match the narrow (messages.md §7).
 * @param sql a REPEATABLE READ, READ ONLY transaction
 * @throws ApiError `BAD_REQUEST`, `BAD_NARROW`
 */
export async function matchMessages(
  sql: Sql,
  viewer: Reader,
  { ids, narrow: sent }: MatchRequest,
): Promise<Record<string, Match>> {
  const wanted: RequestedMessages = { kind: "ids", ids };
  checkTerms(sent);
  const terms = await followWith(sql, viewer, sent);
  checkAmount(wanted);
  const realm = loadRealm(sql, viewer.realmId);
  const compiled = await compileNarrow(terms, {
    viewer,
    realm,
    lookups: narrowLookups(sql, viewer),
  });
  const narrow = { ...compiled, shared: false };
  const found =
    narrow.channel === "refused"
      ? foundInRefusedChannel(wanted)
      : await findMessages(sql, { viewer, narrow }, wanted);
  const matches: Record<string, Match> = {};
  for (let start = 0; start < found.ids.length; start += page) {
    const rows = await sql.rows(texts, [found.ids.slice(start, start + page)]);
    for (const [i, match] of (await matchesOf(sql, narrow.search, rows)).entries())
      matches[rows[i]?.id ?? 0] = match;
  }
  return matches;
}

/** A matching message's content and topic as HTML, with the searched words highlighted (messages.md §5). */
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
  overrides: { word: notNull },
});

/** Maximum words that one statement stems, in about 10 ms. */
const wordsAtOnce = 5_000;

/**
 * Returns the highlighted texts of the messages that a search has found, in the same order. Nothing is highlighted
 * without a search. PostgreSQL decides which words match, with the same stemming as when the messages were stored.
 */
export async function matchesOf(
  sql: Sql,
  search: WordSearch | undefined,
  messages: readonly Matching[],
): Promise<Match[]> {
  const escaped = messages.map(({ topic }) => escapeCodeBlock(topic));
  const isHighlighted = await wordsToHighlight(sql, search?.lexemes ?? [], escaped, messages);
  const matches: Match[] = [];
  for (const [i, { renderedContent }] of messages.entries()) {
    matches.push({
      match_content: highlight(renderedContent, isHighlighted),
      match_subject: highlight(escaped[i] ?? "", isHighlighted),
    });
    // The longest messages take 5 ms or more.
    await setImmediate();
  }
  return matches;
}

/**
 * Returns a test for words that match the lexemes. Asks PostgreSQL only about words with the first letter of a lexeme:
 * stemming does not change it.
 */
async function wordsToHighlight(
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
  const highlighted = new Set<string>();
  for (let start = 0; start < words.length; start += wordsAtOnce)
    for (const { word } of await sql.rows(matchingWords, [
      words.slice(start, start + wordsAtOnce),
      lexemes,
    ]))
      highlighted.add(word);
  return (word) => highlighted.has(word);
}
