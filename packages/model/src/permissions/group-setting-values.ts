import type { GroupSettingValue } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

/** The one form that values are compared, checked and stored in: nothing that a named group says as well is a set. */
export function canonicalGroupValue(value: GroupSettingValue, nobodyId: number): GroupSettingValue {
  const sorted = sortedGroupValue(value);
  if (typeof sorted === "number" || sorted.direct_members.length > 0) return sorted;
  const [first, ...others] = sorted.direct_subgroups;
  if (first === undefined) return nobodyId;
  return others.length === 0 ? first : sorted;
}

/** The same value with lists that ascend, everybody in them once. */
export function sortedGroupValue(value: GroupSettingValue): GroupSettingValue {
  if (typeof value === "number") return value;
  return {
    direct_members: ascending(value.direct_members),
    direct_subgroups: ascending(value.direct_subgroups),
  };
}

/** Whether two canonical values are equal; a named group and a set never are. */
export function sameGroupValue(a: GroupSettingValue, b: GroupSettingValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

/**
 * Named groups are left out first: everybody may be in one of them. The sets of 2,000 channels take 3 ms; looked up one by
 * one they took 9.
 */
const values = statement({
  name: "group-setting-values",
  text: `WITH wanted AS MATERIALIZED (
      SELECT g.id FROM unnest($1::int[]) AS g (id)
      WHERE NOT EXISTS (SELECT FROM named_user_group n WHERE n.id = g.id)
    ), members AS (
      SELECT m.group_id AS id, array_agg(m.user_id ORDER BY m.user_id) AS ids
      FROM wanted JOIN user_group_member m ON m.group_id = wanted.id JOIN users u ON u.id = m.user_id AND u.is_active
      GROUP BY 1
    ), subgroups AS (
      SELECT s.supergroup_id AS id, array_agg(s.subgroup_id ORDER BY s.subgroup_id) AS ids
      FROM wanted JOIN user_group_subgroup s ON s.supergroup_id = wanted.id GROUP BY 1
    )
    SELECT wanted.id, coalesce(members.ids, '{}') AS direct_members, coalesce(subgroups.ids, '{}') AS direct_subgroups
    FROM wanted LEFT JOIN members ON members.id = wanted.id LEFT JOIN subgroups ON subgroups.id = wanted.id`,
  row: { id: column.int, direct_members: column.ints, direct_subgroups: column.ints },
});

/** The values that stored groups stand for, as they go out: deactivated accounts are left out of the sets. */
export async function loadGroupValues(
  sql: Sql,
  groupIds: Iterable<number>,
): Promise<(groupId: number) => GroupSettingValue> {
  const rows = await sql.rows(values, [[...new Set(groupIds)]]);
  const sets = new Map(rows.map(({ id, ...parts }) => [id, parts]));
  return (groupId) => sets.get(groupId) ?? groupId;
}
