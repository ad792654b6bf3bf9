import type { UserGroupObject } from "@carillon/contract";
import { column, statement, type Column, type Sql } from "@carillon/db";

import { loadGroupValues } from "../permissions/group-setting-values.ts";
import { inSlices } from "@carillon/kit";
import { groupPermissionNames, presentUserGroup } from "./group-object.ts";

/** Members as JSON: a list of ten thousand is read in a fraction of the time that an array of the database takes. */
const objects = (condition: string) => `WITH groups AS (
      SELECT * FROM named_user_group WHERE realm_id = $1 AND ${condition}
    ), members AS (
      SELECT m.group_id, json_agg(m.user_id ORDER BY m.user_id) AS ids
      FROM user_group_member m JOIN groups g ON g.id = m.group_id JOIN users u ON u.id = m.user_id
      WHERE u.is_active GROUP BY m.group_id
    ), subgroups AS (
      SELECT s.supergroup_id, json_agg(s.subgroup_id ORDER BY s.subgroup_id) AS ids
      FROM user_group_subgroup s JOIN groups g ON g.id = s.supergroup_id GROUP BY s.supergroup_id
    )
    SELECT g.id, g.name, g.description, floor(extract(epoch FROM g.date_created))::float8 AS date_created,
      g.creator_id, coalesce(members.ids, '[]') AS members, coalesce(subgroups.ids, '[]') AS direct_subgroup_ids,
      g.is_system_group, g.deactivated, ${groupPermissionNames.map((name) => `g.${name}_id AS ${name}`).join(", ")}
    FROM groups g LEFT JOIN members ON members.group_id = g.id LEFT JOIN subgroups ON subgroups.supergroup_id = g.id
    ORDER BY g.id`;

const settingColumns = Object.fromEntries(
  groupPermissionNames.map((name) => [name, column.int]),
) as Record<(typeof groupPermissionNames)[number], Column<number>>;

const row = {
  id: column.int,
  name: column.text,
  description: column.text,
  date_created: column.float.orNull(),
  creator_id: column.int.orNull(),
  members: column.json<number[]>(),
  direct_subgroup_ids: column.json<number[]>(),
  is_system_group: column.bool,
  deactivated: column.bool,
  ...settingColumns,
};

const byRealm = statement({
  name: "user-groups",
  text: objects("($2 OR NOT deactivated)"),
  row,
});
const byId = statement({ name: "user-group", text: objects("id = $2"), row });

/** The organization's user groups by id, system groups too; two statements, however many there are. */
export async function listUserGroups(
  sql: Sql,
  realmId: number,
  options: { readonly deactivated: boolean },
): Promise<UserGroupObject[]> {
  const groups = await sql.rows(byRealm, [realmId, options.deactivated]);
  const used = groups.flatMap((group) => groupPermissionNames.map((name) => group[name]));
  const valueOf = await loadGroupValues(sql, used);
  return inSlices(groups, (group) => presentUserGroup(group, valueOf));
}

/**
 * One group of the organization.
 * @throws Error when there is none: ask only for groups that the transaction has in its hands
 */
export async function loadUserGroup(
  sql: Sql,
  realmId: number,
  groupId: number,
): Promise<UserGroupObject> {
  const [group] = await sql.rows(byId, [realmId, groupId]);
  if (!group) throw new Error(`there is no user group ${groupId}`);
  const valueOf = await loadGroupValues(
    sql,
    groupPermissionNames.map((name) => group[name]),
  );
  return presentUserGroup(group, valueOf);
}
