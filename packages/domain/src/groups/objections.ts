import { type PermissionScope, columnsOf, scopes } from "@carillon/model";
import type { Permission } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

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

const directSupergroups = statement({
  name: "direct-supergroups",
  text: `SELECT s.supergroup_id AS id, n.id IS NOT NULL AS "isNamed", n.deactivated IS FALSE AS "isActive"
    FROM user_group_subgroup s LEFT JOIN named_user_group n ON n.id = s.supergroup_id
    WHERE s.subgroup_id = $1 ORDER BY s.supergroup_id`,
  row: { id: column.int, isNamed: column.bool, isActive: column.bool },
});

/**
 * Everything that uses the group: active groups that it is a direct part of, and permissions that are set to it or to
 * a set that lists it. What is archived or deactivated does not count.
 */
export async function findObjections(
  tx: Tx,
  realmId: number,
  groupId: number,
): Promise<Objection[]> {
  const above = await tx.rows(directSupergroups, [groupId]);
  const sets = above.filter(({ isNamed }) => !isNamed).map(({ id }) => id);
  const [channels, groups, realms] = await findUses(tx, realmId, [groupId, ...sets]);
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

const scopesInOrder = ["channel", "group", "realm"] as const;

/** What counts of each scope. */
const inUse: Readonly<Record<PermissionScope, string>> = {
  channel: "NOT is_archived",
  group: "NOT deactivated",
  realm: "true",
};

const uses = scopesInOrder.map((scope) => {
  const { permissions, table, realmColumn } = scopes[scope];
  const groups = `ARRAY[${columnsOf(permissions).join(", ")}]`;
  return {
    names: Object.values<Permission>(permissions).map(({ name }) => name),
    statement: statement({
      name: `group-uses-${scope}`,
      text: `SELECT id, ${groups} AS groups FROM ${table}
        WHERE ${realmColumn} = $1 AND ${inUse[scope]} AND ${groups} && $2::int[] ORDER BY id`,
      row: { id: column.int, groups: column.ints },
    }),
  };
});

/** What has permissions whose group is one of these, with the names of the permissions. */
async function findUses(
  tx: Tx,
  realmId: number,
  groupIds: readonly number[],
): Promise<[channels: Use[], groups: Use[], realms: Use[]]> {
  const among = new Set(groupIds);
  const found = await Promise.all(
    uses.map(async ({ names, statement: inScope }) => {
      const rows = await tx.rows(inScope, [realmId, groupIds]);
      return rows.map(({ id, groups }) => ({
        id,
        settings: names.filter((_, i) => among.has(groups[i] ?? 0)),
      }));
    }),
  );
  const [channels = [], groups = [], realms = []] = found;
  return [channels, groups, realms];
}
