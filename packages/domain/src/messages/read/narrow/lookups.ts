import { type Members, type Reader, findDirectRecipients, memberKey } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";

import { batched } from "./batched.ts";
import { loadNamedChannels, type NarrowChannel } from "./named-channels.ts";
import { loadUserIds } from "./user-ids.ts";

/** What the terms of a narrow name, looked up for all of them together; undefined for what does not exist. */
export interface NarrowLookups {
  /** By ID, or by name in any case. */
  readonly channel: (named: string | number) => Promise<NarrowChannel | undefined>;
  /** The ID of the account with this ID, or with an e-mail address that the viewer may know it by. */
  readonly user: (named: string | number) => Promise<number | undefined>;
  /** What PostgreSQL makes of words, without those that say nothing. */
  readonly lexemes: (words: string) => Promise<readonly string[]>;
  /** The recipient of a direct conversation, undefined until somebody has written in it. */
  readonly conversation: (members: Members) => Promise<number | undefined>;
}

export function narrowLookups(sql: Sql, viewer: Reader): NarrowLookups {
  const conversation = batched((keys: readonly string[]) => loadConversations(sql, viewer, keys));
  return {
    channel: batched((named) => loadNamedChannels(sql, viewer, named)),
    user: batched((named) => loadUserIds(sql, viewer, named)),
    lexemes: async (words) => (await sql.rows(lexemesOf, [words]))[0]?.lexemes ?? [],
    conversation: (members) => conversation(memberKey(members)),
  };
}

const lexemesOf = statement({
  name: "lexemes",
  text: "SELECT tsvector_to_array(to_tsvector('english', $1)) AS lexemes",
  row: { lexemes: column.texts },
});

async function loadConversations(
  sql: Sql,
  viewer: Reader,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const conversations = keys.map((key) => key.split(",").map(Number));
  const found = await findDirectRecipients(sql, viewer.realmId, conversations);
  return new Map([...found].map(([key, { id }]) => [key, id]));
}
