import type { GroupParts, GroupSettingValue } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

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

const insertSets = statement({
  name: "anonymous-groups",
  text: `INSERT INTO user_group (realm_id) SELECT $1 FROM generate_series(1, $2::int) RETURNING id`,
  row: { id: column.int },
});

const into = (name: string, table: string) =>
  statement({
    name,
    text: `INSERT INTO ${table}
      SELECT holder.id, entry.id FROM unnest($1::int[], $2::int[]) AS holder (n, id)
      JOIN unnest($3::int[], $4::int[]) AS entry (n, id) USING (n)`,
    row: {},
  });

const intoMembers = into("anonymous-group-members", "user_group_member (group_id, user_id)");
const intoSubgroups = into(
  "anonymous-group-subgroups",
  "user_group_subgroup (supergroup_id, subgroup_id)",
);

/**
 * Makes anonymous groups for as many rows as are new, in three statements whatever the number.
 * @param sets checked, in canonical form
 * @returns for each row the groups that stand for the sets, in their order
 */
export async function storeNewSets(
  tx: Tx,
  realmId: number,
  sets: readonly GroupParts[],
  rows: number,
): Promise<number[][]> {
  const made = sets.length === 0 ? [] : await tx.rows(insertSets, [realmId, sets.length * rows]);
  const ids = made.map(({ id }) => id);
  const holders = Array.from({ length: rows }, (_, row) =>
    ids.slice(row * sets.length, (row + 1) * sets.length),
  );
  const entries = (part: keyof GroupParts) => {
    const pairs = sets.flatMap((set, n) => set[part].map((id) => [n, id] as const));
    return [pairs.map(([n]) => n), pairs.map(([, id]) => id)];
  };
  const places = [ids.map((_, i) => i % sets.length), ids];
  if (ids.length > 0)
    await Promise.all([
      tx.rows(intoMembers, [...places, ...entries("direct_members")]),
      tx.rows(intoSubgroups, [...places, ...entries("direct_subgroups")]),
    ]);
  return holders;
}

/** Removes what a setting had before, when that was a set of its own. */
export function dropAnonymousGroup(tx: Tx, groupId: number): Promise<void> {
  return dropAnonymousGroups(tx, [groupId]);
}

const dropSets = statement({
  name: "drop-anonymous-groups",
  text: `DELETE FROM user_group g
    WHERE id = ANY($1::int[]) AND NOT EXISTS (SELECT 1 FROM named_user_group n WHERE n.id = g.id)`,
  row: {},
});

/** Those of the groups that are sets of a setting's own. */
export async function dropAnonymousGroups(tx: Tx, groupIds: readonly number[]): Promise<void> {
  if (groupIds.length === 0) return;
  await tx.rows(dropSets, [groupIds]);
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

const fillSet = statement({
  name: "fill-anonymous-group",
  text: `WITH members AS (
      INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[])
    )
    INSERT INTO user_group_subgroup (supergroup_id, subgroup_id) SELECT $1, unnest($3::int[])`,
  row: {},
});

async function fill(tx: Tx, groupId: number, parts: GroupParts): Promise<void> {
  await tx.rows(fillSet, [groupId, parts.direct_members, parts.direct_subgroups]);
}

async function isAnonymous(tx: Tx, groupId: number): Promise<boolean> {
  return (await tx.first("SELECT FROM named_user_group WHERE id = $1", [groupId])) === undefined;
}
