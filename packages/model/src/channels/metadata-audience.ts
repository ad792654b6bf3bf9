import { roles } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { isPrivateSql, isWebPublicSql, showingGroups } from "./access-sql.ts";

/**
 * Who sees each channel's metadata, by channel (events.md §4 "meta"): of a web-public one everybody, of a public one
 * all but guests and the subscribed guests, of a private one its subscribers, the administrators, and the members of
 * the groups that see it. Active accounts only. Channels with the same audience have the same set.
 */
export type MetadataAudiences = ReadonlyMap<number, ReadonlySet<number>>;

type Basis = "everybody" | "nonGuests" | "administrators";

const bases = statement({
  name: "metadata-audience-bases",
  text: `SELECT coalesce(array_agg(id), '{}') AS everybody,
      coalesce(array_agg(id) FILTER (WHERE role <> ${roles.guest}), '{}') AS "nonGuests",
      coalesce(array_agg(id) FILTER (WHERE role <= ${roles.administrator}), '{}') AS administrators
    FROM users WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL`,
  row: { everybody: column.ints, nonGuests: column.ints, administrators: column.ints },
});

const extras = statement({
  name: "metadata-audience-extras",
  text: `WITH RECURSIVE channel AS (
      SELECT c.id, ${isWebPublicSql} AS is_web_public, ${isPrivateSql} AS is_private, ${showingGroups} AS groups
      FROM channels c WHERE c.realm_id = $1 AND c.id = ANY($2::int[])
    ), granted (channel_id, group_id) AS (
      SELECT id, unnest(groups) FROM channel WHERE is_private
      UNION
      SELECT granted.channel_id, edge.subgroup_id
      FROM granted JOIN user_group_subgroup edge ON edge.supergroup_id = granted.group_id
    ), extra AS (
      SELECT s.channel_id, s.user_id FROM subscriptions s
      JOIN channel c ON c.id = s.channel_id JOIN users u ON u.id = s.user_id
      WHERE s.active AND s.is_user_active AND NOT c.is_web_public AND (c.is_private OR u.role = ${roles.guest})
      UNION
      SELECT granted.channel_id, m.user_id FROM granted
      JOIN user_group_member m ON m.group_id = granted.group_id
      JOIN users u ON u.id = m.user_id AND u.is_active AND u.role <> ${roles.guest}
    )
    SELECT c.id, CASE WHEN c.is_web_public THEN 'everybody' WHEN c.is_private THEN 'administrators'
        ELSE 'nonGuests' END AS basis,
      coalesce((SELECT array_agg(user_id ORDER BY user_id) FROM extra WHERE channel_id = c.id), '{}') AS extra
    FROM channel c`,
  row: { id: column.int, basis: column.text.as<Basis>(), extra: column.ints },
});

/** As the rows are now: load it before a change to tell who gains access by it. */
export async function loadMetadataAudiences(
  sql: Sql,
  realmId: number,
  channelIds: readonly number[],
): Promise<MetadataAudiences> {
  if (channelIds.length === 0) return new Map();
  const [basis] = await sql.rows(bases, [realmId]);
  const rows = await sql.rows(extras, [realmId, channelIds]);
  const sets = new Map<string, Set<number>>();
  return new Map(
    rows.map(({ id, basis: kind, extra }) => {
      const key = `${kind}:${extra.join(",")}`;
      const known = sets.get(key) ?? new Set([...(basis?.[kind] ?? []), ...extra]);
      sets.set(key, known);
      return [id, known];
    }),
  );
}
