import type { Tx } from "@carillon/db";

import type { GroupParts, GroupSettingValue } from "./group-setting.ts";

/**
 * Brings a checked value, in canonical form, into the group that the setting's column refers to (user-groups.md §1): a
 * named group is its own, a set is an anonymous group that belongs to this one setting. With `current`, the column's
 * old group, a set is changed in place.
 * @returns the group for the column. When it differs from `current`, hand `current` to {@link dropAnonymousGroup} once the column has changed
 */
export async function storeGroupSetting(
  tx: Tx,
  realmId: number,
  value: GroupSettingValue,
  current?: number,
): Promise<number> {
  if (typeof value === "number") return value;
  if (current !== undefined && (await isAnonymous(tx, current))) {
    await tx.rows("DELETE FROM user_group_member WHERE group_id = $1", [current]);
    await tx.rows("DELETE FROM user_group_subgroup WHERE supergroup_id = $1", [current]);
    await fill(tx, current, value);
    return current;
  }
  const group = await tx.first<{ id: number }>(
    "INSERT INTO user_group (realm_id) VALUES ($1) RETURNING id",
    [realmId],
  );
  if (!group) throw new Error("the anonymous group was not inserted");
  await fill(tx, group.id, value);
  return group.id;
}

/** Removes what a setting had before, when that was a set of its own. */
export async function dropAnonymousGroup(tx: Tx, groupId: number): Promise<void> {
  await tx.rows(
    `DELETE FROM user_group g
     WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM named_user_group n WHERE n.id = g.id)`,
    [groupId],
  );
}

/** A setting that gets another value. */
export interface ChangedHolder {
  /** Of the setting, as on the wire. */
  readonly name: string;
  /** The group that has held it so far. */
  readonly holder: number;
  /** Checked, in canonical form. */
  readonly value: GroupSettingValue;
}

/** Gives settings of one row their new values, and leaves nothing of the old ones. */
export async function storeChangedSettings(
  tx: Tx,
  realmId: number,
  row: { readonly table: "realms" | "channels" | "named_user_group"; readonly id: number },
  changes: readonly ChangedHolder[],
): Promise<void> {
  const stored = await Promise.all(
    changes.map(async ({ name, holder, value }) => ({
      name,
      holder,
      now: await storeGroupSetting(tx, realmId, value, holder),
    })),
  );
  const moved = stored.filter(({ holder, now }) => now !== holder);
  if (moved.length === 0) return;
  const columns = moved.map(({ name }, i) => `${name}_id = $${i + 2}`).join(", ");
  await tx.rows(`UPDATE ${row.table} SET ${columns} WHERE id = $1`, [
    row.id,
    ...moved.map(({ now }) => now),
  ]);
  await Promise.all(moved.map(({ holder }) => dropAnonymousGroup(tx, holder)));
}

async function fill(tx: Tx, groupId: number, parts: GroupParts): Promise<void> {
  await tx.rows(
    `WITH members AS (
       INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[])
     )
     INSERT INTO user_group_subgroup (supergroup_id, subgroup_id) SELECT $1, unnest($3::int[])`,
    [groupId, parts.direct_members, parts.direct_subgroups],
  );
}

async function isAnonymous(tx: Tx, groupId: number): Promise<boolean> {
  return (await tx.first("SELECT FROM named_user_group WHERE id = $1", [groupId])) === undefined;
}
