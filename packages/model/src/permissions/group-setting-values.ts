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

const values = statement({
  name: "group-setting-values",
  text: `SELECT g.id,
      ARRAY(SELECT m.user_id FROM user_group_member m JOIN users u ON u.id = m.user_id AND u.is_active
        WHERE m.group_id = g.id ORDER BY 1) AS direct_members,
      ARRAY(SELECT s.subgroup_id FROM user_group_subgroup s WHERE s.supergroup_id = g.id ORDER BY 1) AS direct_subgroups
    FROM user_group g
    WHERE g.id = ANY($1::int[]) AND NOT EXISTS (SELECT 1 FROM named_user_group n WHERE n.id = g.id)`,
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
