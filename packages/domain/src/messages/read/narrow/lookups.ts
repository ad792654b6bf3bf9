import {
  type Members,
  SqlValues,
  type Reader,
  channelReadable,
  findDirectRecipients,
  hasSharedHistorySql,
  memberKey,
} from "@carillon/model";
import { knowableId, roles } from "@carillon/contract";
import { column, composed, statement, type Sql, type RowOf } from "@carillon/db";

import { batched } from "./batched.ts";
import { loadUserIds } from "./user-ids.ts";

const channelRow = {
  id: column.int,
  name: column.text,
  recipientId: column.int,
  historyPublicToSubscribers: column.bool,
  /** Whether the viewer has content access. */
  readable: column.bool,
};

/** A channel that a narrow names. */
export type NarrowChannel = RowOf<typeof channelRow>;

const channels = composed({
  name: "narrow-channels",
  /** `asked`: by which of the names. */
  row: { ...channelRow, asked: column.texts },
  compose: (viewer: Reader, ids: readonly number[], names: readonly string[]) => {
    const values = new SqlValues();
    const text = `SELECT c.id, c.name, r.id AS "recipientId",
        ${hasSharedHistorySql} AS "historyPublicToSubscribers",
        ${channelReadable(viewer)(values)} AS readable,
        ARRAY(SELECT a.name FROM unnest(${values.add(names, "text[]")}) AS a (name)
              WHERE lower(a.name) = lower(c.name)) AS asked
      FROM channels c JOIN recipients r ON r.channel_id = c.id
      WHERE c.realm_id = ${values.add(viewer.realmId, "int")}
        AND (c.id = ANY(${values.add(ids, "int[]")})
             OR lower(c.name) IN (SELECT lower(name) FROM unnest(${values.add(names, "text[]")}) AS a (name)))`;
    return { text, values: values.list };
  },
  examples: (compose) =>
    [roles.member, roles.guest].map((role) =>
      compose({ id: 1, realmId: 1, role, isActive: true }, [], []),
    ),
});

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
    channel: batched((named) => loadChannels(sql, viewer, named)),
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

async function loadChannels(
  sql: Sql,
  viewer: Reader,
  named: readonly (string | number)[],
): Promise<Map<string | number, NarrowChannel>> {
  const ids = named.filter((value) => typeof value === "number").map((id) => knowableId(id));
  const names = named.filter((value) => typeof value === "string");
  const rows = await channels(sql, viewer, ids, names);
  const byIdOrName = new Map<string | number, NarrowChannel>();
  for (const { asked, ...channel } of rows) {
    byIdOrName.set(channel.id, channel);
    for (const name of asked) byIdOrName.set(name, channel);
  }
  return byIdOrName;
}
