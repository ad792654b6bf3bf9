import { column, statement, type Sql } from "@carillon/db";

const sizesOf = statement({
  name: "mentioned-group-sizes",
  text: `WITH RECURSIVE mentioned (root, group_id) AS (
      SELECT id, id FROM unnest($1::int[]) AS g (id)
      UNION SELECT root, edge.subgroup_id FROM mentioned JOIN user_group_subgroup edge ON edge.supergroup_id = group_id
    )
    SELECT mentioned.root AS id, count(DISTINCT u.id)::int AS size FROM mentioned
    JOIN user_group_member member ON member.group_id = mentioned.group_id
    JOIN users u ON u.id = member.user_id AND u.is_active
    GROUP BY mentioned.root`,
  row: { id: column.int, size: column.int },
});

/** How many active members the groups have, at any depth, by group. */
export async function loadGroupSizes(
  sql: Sql,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (groupIds.length === 0) return new Map();
  const rows = await sql.rows(sizesOf, [groupIds]);
  return new Map(rows.map(({ id, size }) => [id, size]));
}

/** The smallest of the groups, of two alike the older one; undefined of none. */
export function smallestGroup(
  groupIds: readonly number[],
  sizes: ReadonlyMap<number, number>,
): number | undefined {
  const size = (id: number) => sizes.get(id) ?? 0;
  return groupIds.toSorted((a, b) => size(a) - size(b) || a - b)[0];
}
