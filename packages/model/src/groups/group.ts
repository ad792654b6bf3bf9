import { groupPermissions, type GroupPermission } from "@carillon/contract";
import { column, statement, type RowOf, type Sql } from "@carillon/db";

import { groupsObject } from "../permissions/columns.ts";

const row = {
  id: column.int,
  name: column.text,
  description: column.text,
  isSystemGroup: column.bool,
  deactivated: column.bool,
  /** The group of each permission. */
  groups: column.json<Readonly<Record<GroupPermission, number>>>(),
};

/** A user group, as the rules need it. */
export type UserGroup = RowOf<typeof row>;

const columns = `id, name, description, is_system_group AS "isSystemGroup", deactivated,
  ${groupsObject(groupPermissions)} AS groups`;

const byId = statement({
  name: "user-group-for-rules",
  text: `SELECT ${columns} FROM named_user_group WHERE realm_id = $1 AND id = $2`,
  row,
});

/** The organization's group with this id. It stays as it is for as long as the group graph is held. */
export async function findUserGroup(
  sql: Sql,
  realmId: number,
  groupId: number,
): Promise<UserGroup | undefined> {
  return (await sql.rows(byId, [realmId, groupId]))[0];
}
