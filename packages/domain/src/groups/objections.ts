import {
  type Permissions,
  channelPermissions,
  groupPermissions,
  realmPermissions,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";

/** Why a group cannot be deactivated, as on the wire (user-groups.md §5.3): `settings` is there whatever the type. */
export type Objection =
  | { type: "subgroup"; supergroup_ids: number[]; settings: [] }
  | { type: "channel"; channel_id: number; settings: string[] }
  | { type: "user_group"; group_id: number; settings: string[] }
  | { type: "realm"; settings: string[] };

interface Use {
  readonly id: number;
  readonly settings: string[];
}

/**
 * Everything that uses the group: active groups that it is a direct part of, and settings whose value is the group or
 * a set that lists it. What is archived or deactivated does not count.
 */
export async function findObjections(
  tx: Tx,
  realmId: number,
  groupId: number,
): Promise<Objection[]> {
  const above = await tx.rows<{ id: number; isNamed: boolean; isActive: boolean }>(
    `SELECT s.supergroup_id AS id, n.id IS NOT NULL AS "isNamed", n.deactivated IS FALSE AS "isActive"
     FROM user_group_subgroup s LEFT JOIN named_user_group n ON n.id = s.supergroup_id
     WHERE s.subgroup_id = $1 ORDER BY s.supergroup_id`,
    [groupId],
  );
  const sets = above.filter(({ isNamed }) => !isNamed).map(({ id }) => id);
  const uses = (table: string, condition: string, permissions: Permissions) =>
    findUses(tx, realmId, [groupId, ...sets], table, condition, permissions);
  const [channels, groups, realms] = await Promise.all([
    uses("channels", "realm_id = $1 AND NOT is_archived", channelPermissions),
    uses("named_user_group", "realm_id = $1 AND NOT deactivated", groupPermissions),
    uses("realms", "id = $1", realmPermissions),
  ]);
  const supergroups = above.filter(({ isActive }) => isActive).map(({ id }) => id);
  return [
    ...(supergroups.length > 0
      ? [{ type: "subgroup" as const, supergroup_ids: supergroups, settings: [] as [] }]
      : []),
    ...channels.map(({ id, settings }) => ({ type: "channel" as const, channel_id: id, settings })),
    ...groups.map(({ id, settings }) => ({ type: "user_group" as const, group_id: id, settings })),
    ...realms.map(({ settings }) => ({ type: "realm" as const, settings })),
  ];
}

/** The rows of a table whose settings are held by one of the groups, with the names of those settings. */
async function findUses(
  tx: Tx,
  realmId: number,
  holders: readonly number[],
  table: string,
  condition: string,
  permissions: Permissions,
): Promise<Use[]> {
  const names = Object.values(permissions).map(({ name }) => name);
  const columns = `ARRAY[${names.map((name) => `${name}_id`).join(", ")}]`;
  const rows = await tx.rows<{ id: number; held: number[] }>(
    `SELECT id, ${columns} AS held FROM ${table}
     WHERE ${condition} AND ${columns} && $2::int[] ORDER BY id`,
    [realmId, holders],
  );
  const among = new Set(holders);
  return rows.map(({ id, held }) => ({
    id,
    settings: names.filter((_, i) => among.has(held[i] ?? 0)),
  }));
}
