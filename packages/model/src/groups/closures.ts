import { column, statement, type DeclaredStatement, type RowOf, type Sql } from "@carillon/db";

/** The two directions of the group graph from one group, or a few. UNION ends each walk even where ways meet. */

const row = { ids: column.json<number[]>() };

const upward = statement({
  name: "group-supergroups",
  text: `WITH RECURSIVE above (id) AS (
      SELECT $1::int
      UNION SELECT s.supergroup_id FROM above JOIN user_group_subgroup s ON s.subgroup_id = above.id
    )
    SELECT coalesce(json_agg(id), '[]') AS ids FROM above`,
  row,
});

const below = `WITH RECURSIVE below (id) AS (
    SELECT unnest($1::int[])
    UNION SELECT s.subgroup_id FROM below JOIN user_group_subgroup s ON s.supergroup_id = below.id
  )`;

const members = statement({
  name: "group-members",
  text: `${below}
    SELECT coalesce(json_agg(DISTINCT m.user_id ORDER BY m.user_id), '[]') AS ids
    FROM below JOIN user_group_member m ON m.group_id = below.id JOIN users u ON u.id = m.user_id AND u.is_active`,
  row,
});

const subgroups = statement({
  name: "group-subgroups",
  text: `${below} SELECT coalesce(json_agg(id ORDER BY id), '[]') AS ids FROM below WHERE NOT id = ANY($1::int[])`,
  row,
});

/** The group itself and every group that it is a part of, at any depth, anonymous ones too. */
export function loadSupergroups(sql: Sql, groupId: number): Promise<number[]> {
  return ids(sql, upward, groupId);
}

/** The active accounts in the groups, directly or through subgroups, ascending. */
export function loadAllMembers(sql: Sql, groupIds: readonly number[]): Promise<number[]> {
  return ids(sql, members, groupIds);
}

/** The groups that are parts of the group, at any depth, ascending. */
export function loadAllSubgroups(sql: Sql, groupId: number): Promise<number[]> {
  return ids(sql, subgroups, [groupId]);
}

async function ids(
  sql: Sql,
  closure: DeclaredStatement<RowOf<typeof row>>,
  from: unknown,
): Promise<number[]> {
  const [found] = await sql.rows(closure, [from]);
  return found?.ids ?? [];
}
