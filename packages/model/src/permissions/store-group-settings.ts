import type { GroupParts, GroupSettingValue, Permission, Permissions } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { checkGroupSettings } from "./check-group-settings.ts";
import { canonicalGroupValue, columnOf } from "./group-setting-values.ts";
import { type PermissionScope, scopes } from "./memberships.ts";
import type { SystemGroupIds } from "./system-groups.ts";

const clearMembers = statement({
  name: "anonymous-group-clear-members",
  text: "DELETE FROM user_group_member WHERE group_id = $1",
});

const clearSubgroups = statement({
  name: "anonymous-group-clear-subgroups",
  text: "DELETE FROM user_group_subgroup WHERE supergroup_id = $1",
});

const insertSet = statement({
  name: "anonymous-group",
  text: "INSERT INTO user_group (realm_id) VALUES ($1) RETURNING id",
});

/**
 * Stores a checked value in canonical form (user-groups.md §1): a named group is its own group, other values become an
 * anonymous group that belongs to this group setting. If `current`, the column's old group, is anonymous, it is changed
 * in place.
 * @returns the group for the column. If it differs from `current`, pass `current` to {@link dropAnonymousGroups} after
 * changing the column
 */
async function storeGroupSetting(
  tx: Tx,
  realmId: number,
  value: GroupSettingValue,
  current?: number,
): Promise<number> {
  if (typeof value === "number") return value;
  if (current !== undefined && (await isAnonymous(tx, current))) {
    await tx.rows(clearMembers, [current]);
    await tx.rows(clearSubgroups, [current]);
    await fill(tx, current, value);
    return current;
  }
  const group = await tx.first(insertSet, [realmId]);
  if (!group) throw new Error("the anonymous group was not inserted");
  await fill(tx, group.id, value);
  return group.id;
}

const insertSets = statement({
  name: "anonymous-groups",
  text: `INSERT INTO user_group (realm_id) SELECT $1 FROM generate_series(1, $2::int) RETURNING id`,
});

const into = (name: "anonymous-group-members" | "anonymous-group-subgroups", table: string) =>
  statement({
    name,
    text: `INSERT INTO ${table}
      SELECT holder.id, entry.id FROM unnest($1::int[], $2::int[]) AS holder (n, id)
      JOIN unnest($3::int[], $4::int[]) AS entry (n, id) USING (n)`,
  });

const intoMembers = into("anonymous-group-members", "user_group_member (group_id, user_id)");
const intoSubgroups = into(
  "anonymous-group-subgroups",
  "user_group_subgroup (supergroup_id, subgroup_id)",
);

/**
 * Creates the groups for the columns of new rows, in three statements whatever the number of rows.
 * @param values checked, in canonical form, equal for all rows
 * @returns for each row the group of each permission
 */
export async function storeNewGroupSettings<Key extends string>(
  tx: Tx,
  realmId: number,
  values: Readonly<Record<Key, GroupSettingValue>>,
  rows: number,
): Promise<Array<Record<Key, number>>> {
  const sets = Object.entries<GroupSettingValue>(values).flatMap(([key, value]) =>
    typeof value === "number" ? [] : [{ key, value }],
  );
  const made = sets.length === 0 ? [] : await tx.rows(insertSets, [realmId, sets.length * rows]);
  const ids = made.map(({ id }) => id);
  const entries = (part: keyof GroupParts) => {
    const pairs = sets.flatMap(({ value }, n) => value[part].map((id) => ({ n, id })));
    return [pairs.map(({ n }) => n), pairs.map(({ id }) => id)];
  };
  const places = [ids.map((_, i) => i % sets.length), ids];
  if (ids.length > 0)
    await Promise.all([
      tx.rows(intoMembers, [...places, ...entries("direct_members")]),
      tx.rows(intoSubgroups, [...places, ...entries("direct_subgroups")]),
    ]);
  return Array.from({ length: rows }, (_, row) => {
    const own = sets.map(({ key }, n) => [key, ids[row * sets.length + n]]);
    return { ...values, ...Object.fromEntries(own) } as Record<Key, number>;
  });
}

const dropSets = statement({
  name: "drop-anonymous-groups",
  text: `DELETE FROM user_group g
    WHERE id = ANY($1::int[]) AND NOT EXISTS (SELECT 1 FROM named_user_group n WHERE n.id = g.id)`,
});

/** Deletes the anonymous groups among the given ones. */
export async function dropAnonymousGroups(tx: Tx, groupIds: readonly number[]): Promise<void> {
  if (groupIds.length === 0) return;
  await tx.rows(dropSets, [groupIds]);
}

const storedColumns = (scope: PermissionScope) =>
  Object.values<Permission>(scopes[scope].permissions).map(columnOf);

/** Sets columns to other groups; null values keep the column. */
const move = (scope: PermissionScope) =>
  statement({
    name: `group-settings-of-${scope}-move`,
    text: `UPDATE ${scopes[scope].table} SET
        ${storedColumns(scope)
          .map((name, i) => `${name} = coalesce($${i + 2}, ${name})`)
          .join(", ")}
      WHERE id = $1`,
  });

const moves = { realm: move("realm"), channel: move("channel"), group: move("group") };

/** A changed permission. */
interface Change {
  readonly permission: Permission;
  /** The group to which its column refers before the change. */
  readonly group: number;
  /** Checked, in canonical form. */
  readonly value: GroupSettingValue;
}

/** Stores new values of permissions of one row, and deletes the old anonymous groups. */
export async function storeChangedGroupSettings(
  tx: Tx,
  realmId: number,
  row: { readonly scope: PermissionScope; readonly id: number },
  changes: readonly Change[],
): Promise<void> {
  const stored = await Promise.all(
    changes.map(async ({ permission, group, value }) => ({
      permission,
      group,
      now: await storeGroupSetting(tx, realmId, value, group),
    })),
  );
  const moved = stored.filter(({ group, now }) => now !== group);
  if (moved.length === 0) return;
  const byColumn = new Map(moved.map(({ permission, now }) => [columnOf(permission), now]));
  await tx.rows(moves[row.scope], [
    row.id,
    ...storedColumns(row.scope).map((name) => byColumn.get(name) ?? null),
  ]);
  await dropAnonymousGroups(
    tx,
    moved.map(({ group }) => group),
  );
}

const fillSet = statement({
  name: "fill-anonymous-group",
  text: `WITH members AS (
      INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[])
    )
    INSERT INTO user_group_subgroup (supergroup_id, subgroup_id) SELECT $1, unnest($3::int[])`,
});

async function fill(tx: Tx, groupId: number, parts: GroupParts): Promise<void> {
  await tx.rows(fillSet, [groupId, parts.direct_members, parts.direct_subgroups]);
}

const named = statement({
  name: "group-is-named",
  text: "SELECT FROM named_user_group WHERE id = $1",
});

async function isAnonymous(tx: Tx, groupId: number): Promise<boolean> {
  return (await tx.first(named, [groupId])) === undefined;
}

/**
 * Returns the values of a new object's permissions in canonical form (user-groups.md §3), in the order of the
 * declarations: the requested values, checked, or the defaults.
 * @param creatorId the account for permissions whose default is the creator
 * @throws ApiError `BAD_REQUEST` or `SYSTEM_GROUP_REQUIRED`, for the first failed check
 */
export async function newGroupSettings<Declared extends Permissions>(
  tx: Tx,
  realmId: number,
  permissions: Declared,
  asked: Readonly<Partial<Record<keyof Declared, GroupSettingValue | undefined>>>,
  {
    creatorId,
    systemGroups,
  }: { readonly creatorId: number; readonly systemGroups: SystemGroupIds },
): Promise<Record<keyof Declared, GroupSettingValue>> {
  const initial = {
    creator: { direct_members: [creatorId], direct_subgroups: [] },
    ...systemGroups,
  };
  const settings = Object.entries(permissions).map(([key, permission]) => {
    const given = asked[key];
    const value =
      given === undefined
        ? initial[permission.default]
        : canonicalGroupValue(given, systemGroups["role:nobody"]);
    return { key, permission, value, isGiven: given !== undefined };
  });
  await checkGroupSettings(
    tx,
    realmId,
    settings.filter(({ isGiven }) => isGiven),
  );
  return Object.fromEntries(settings.map(({ key, value }) => [key, value])) as Record<
    keyof Declared,
    GroupSettingValue
  >;
}

/** Returns the default group of each permission for an object without a creator: role:nobody replaces the creator. */
export function defaultGroups<Declared extends Permissions>(
  permissions: Declared,
  systemGroups: SystemGroupIds,
): Record<keyof Declared, number> {
  const initial = { creator: systemGroups["role:nobody"], ...systemGroups };
  const groups = Object.entries(permissions).map(([key, permission]) => [
    key,
    initial[permission.default],
  ]);
  return Object.fromEntries(groups) as Record<keyof Declared, number>;
}
