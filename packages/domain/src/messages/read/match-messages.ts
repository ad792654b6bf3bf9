import { loadRealm, type Reader } from "@carillon/model";
import type { NarrowTerm } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { findMessages, foundInRefusedChannel } from "./find-messages.ts";
import { type Match, matchesOf } from "./matches.ts";
import { compileNarrow } from "./narrow/compile.ts";
import { checkTerms } from "./narrow/check-terms.ts";
import { narrowLookups } from "./narrow/lookups.ts";
import { followWith } from "./narrow/with.ts";
import { checkAmount, type Wanted } from "./request.ts";

const texts = statement({
  name: "texts-of-matches",
  text: `SELECT id, CASE WHEN is_channel THEN topic ELSE '' END AS topic, rendered_content AS "renderedContent"
    FROM messages WHERE id = ANY($1::bigint[]) ORDER BY id`,
  row: { id: column.bigint, topic: column.text.neverNullHere(), renderedContent: column.text },
});

/** Messages whose texts are read at once. */
const page = 250;

export interface MatchRequest {
  readonly ids: readonly number[];
  readonly narrow: readonly NarrowTerm[];
}

/**
 * Which of the messages are in the viewer's personal history and match the narrow (messages.md §7), by id.
 * @param sql a transaction, repeatable read and read only
 * @throws ApiError `BAD_REQUEST`, `BAD_NARROW`
 */
export async function matchMessages(
  sql: Sql,
  viewer: Reader,
  { ids, narrow: sent }: MatchRequest,
): Promise<Record<string, Match>> {
  const wanted: Wanted = { kind: "ids", ids };
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
