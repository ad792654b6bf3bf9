import { column, statement, type RowOf, type Sql } from "@carillon/db";

import { groupSettings } from "../permissions/registry.ts";

export type GroupSetting = keyof typeof groupSettings;

/** The group that holds each permission of a user group: `canJoinGroup` and so on. */
export type GroupHolders = Readonly<Record<GroupSetting, number>>;

const row = {
  id: column.int,
  name: column.text,
  description: column.text,
  isSystemGroup: column.bool,
  deactivated: column.bool,
  holders: column.json<GroupHolders>(),
};

/** A user group, as the rules need it. */
export type UserGroup = RowOf<typeof row>;

const holders = Object.entries(groupSettings)
  .map(([key, { name }]) => `'${key}', ${name}_id`)
  .join(", ");

const columns = `id, name, description, is_system_group AS "isSystemGroup", deactivated,
  json_build_object(${holders}) AS holders`;

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
