import { groupPermissions, systemGroups, type SystemGroupName } from "@carillon/contract";
import { statement, typed, type Sql, type Tx } from "@carillon/db";

import { columnsOf } from "./group-setting-values.ts";

export type SystemGroupIds = Readonly<Record<SystemGroupName, number>>;

const permissionColumns = columnsOf(groupPermissions);

const insertIds = statement({
  name: "system-group-ids",
  text: "INSERT INTO user_group (realm_id) SELECT $1 FROM generate_series(1, $2) RETURNING id",
});

const insertNamed = statement({
  name: "system-groups-insert",
  text: `INSERT INTO named_user_group (id, realm_id, name, description, is_system_group, ${permissionColumns.join(", ")})
    SELECT id, $1, name, description, true, ${permissionColumns.map(() => "$2").join(", ")}
    FROM unnest($3::int[], $4::text[], $5::text[]) AS g (id, name, description)`,
});

const nest = statement({
  name: "system-groups-nest",
  text: `INSERT INTO user_group_subgroup (supergroup_id, subgroup_id) SELECT * FROM unnest($1::int[], $2::int[])`,
});

/** Creates the system groups of a new organization, empty, with ids in their order (user-groups.md §2). */
export async function createSystemGroups(tx: Tx, realmId: number): Promise<SystemGroupIds> {
  const rows = await tx.rows(insertIds, [realmId, systemGroups.length]);
  const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
  const named = systemGroups.map((group, index) => ({ ...group, id: ids[index] ?? 0 }));
  const byName = Object.fromEntries(named.map(({ name, id }) => [name, id])) as Record<
    SystemGroupName,
    number
  >;
  await tx.rows(insertNamed, [
    realmId,
    byName["role:nobody"],
    ids,
    named.map(({ name }) => name),
    named.map(({ description }) => description),
  ]);
  const nested = named.filter(({ subgroup }) => subgroup !== undefined);
  await tx.rows(nest, [
    nested.map(({ id }) => id),
    nested.map(({ subgroup }) => subgroup && byName[subgroup]),
  ]);
  return byName;
}

const byRealm = statement({
  name: "system-groups",
  text: `SELECT json_object_agg(name, id) AS ids FROM named_user_group WHERE realm_id = $1 AND is_system_group`,
  overrides: { ids: typed<SystemGroupIds>().notNull },
});

/** Loads the ids of the organization's system groups, by name. */
export async function loadSystemGroups(sql: Sql, realmId: number): Promise<SystemGroupIds> {
  const [row] = await sql.rows(byRealm, [realmId]);
  if (!row) throw new Error(`there is no organization ${realmId}`);
  return row.ids;
}
