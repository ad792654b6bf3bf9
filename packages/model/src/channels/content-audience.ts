import { roles } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { isPublicSql, isWebPublicSql, readingGroups } from "./access-sql.ts";

/** Who may read each channel's content, by channel, ascending; undefined stands for every active account. */
export type ContentAudiences = ReadonlyMap<number, readonly number[] | undefined>;

/**
 * What `hasContentAccess` says of each account, for all active ones at once; a test holds the two against each other.
 * Where nobody is left out the list is not made: it is as long as the organization is large.
 */
const readers = statement({
  name: "content-audiences",
  text: `WITH RECURSIVE account AS MATERIALIZED (
      SELECT id, role FROM users WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL
    ), channel AS MATERIALIZED (
      SELECT c.id, ${isWebPublicSql} OR ${isPublicSql} AND NOT EXISTS (
          SELECT FROM account WHERE role = ${roles.guest} AND NOT EXISTS (
            SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id = account.id AND s.active)
        ) AS everybody, ${isPublicSql} AS is_public, ${readingGroups} AS groups
      FROM channels c WHERE c.realm_id = $1 AND c.id = ANY(ARRAY(SELECT unnest($2::int[])))
    ), granted (channel_id, group_id) AS (
      SELECT id, unnest(groups) FROM channel WHERE NOT is_public AND NOT everybody
      UNION
      SELECT granted.channel_id, edge.subgroup_id
      FROM granted JOIN user_group_subgroup edge ON edge.supergroup_id = granted.group_id
    ), reader AS (
      SELECT s.channel_id, s.user_id FROM channel c
      JOIN subscriptions s ON s.channel_id = c.id AND s.active JOIN account ON account.id = s.user_id
      WHERE NOT c.everybody
      UNION
      SELECT c.id, account.id FROM channel c, account
      WHERE NOT c.everybody AND c.is_public AND account.role <> ${roles.guest}
      UNION
      SELECT granted.channel_id, account.id FROM granted
      JOIN user_group_member m ON m.group_id = granted.group_id
      JOIN account ON account.id = m.user_id AND account.role <> ${roles.guest}
    )
    SELECT c.id, CASE WHEN NOT c.everybody THEN coalesce(
      (SELECT array_agg(user_id ORDER BY user_id) FROM reader WHERE channel_id = c.id), '{}') END AS "readerIds"
    FROM channel c`,
  row: { id: column.int, readerIds: column.ints.orNull() },
});

/**
 * Who may read the channels' content (channels.md §3), as the rows are now: the accounts that are active. Of protected
 * history each of them may read what they have received.
 */
export async function loadContentAudiences(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
): Promise<ContentAudiences> {
  if (channelIds.length === 0) return new Map();
  const rows = await sql.rows(readers, [realmId, channelIds]);
  return new Map(rows.map(({ id, readerIds }) => [id, readerIds ?? undefined]));
}
