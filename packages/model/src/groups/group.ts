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

const lock = statement({
  name: "lock-user-group",
  text: `SELECT ${columns} FROM named_user_group WHERE realm_id = $1 AND id = $2 FOR UPDATE`,
  row,
});

/** The organization's group with this id, kept from all others until the transaction ends. */
export async function lockUserGroup(
  sql: Sql,
  realmId: number,
  groupId: number,
): Promise<UserGroup | undefined> {
  return (await sql.rows(lock, [realmId, groupId]))[0];
}
