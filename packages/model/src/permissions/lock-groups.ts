import { column, statement, holdKey, lockKey, type Tx, type RowOf } from "@carillon/db";

/**
 * Waits until nobody else changes who is in the organization's groups, its group graph or its group settings, and
 * keeps others from it until the transaction ends: racing edges never close a circle, and no two requests wait for each
 * other's groups. Accounts come, go and change their roles under it too: permissions list accounts, and system groups
 * are groups.
 */
export async function lockGroupGraph(tx: Tx, realmId: number): Promise<void> {
  await lockKey(tx, "groups", realmId);
}

/**
 * Keeps everybody and all groups as they are until the transaction ends, while others may do the same: who is told of
 * a change must not be worked out while somebody comes, who would then have it neither in a snapshot nor as an event, nor
 * may it name anybody of whom others have just been told that they are gone.
 */
export async function holdGroupGraph(tx: Tx, realmId: number): Promise<void> {
  await holdKey(tx, "groups", realmId);
}

/** A named group, as far as using it somewhere needs to know. */
export type UsableGroup = RowOf<typeof byIds.columns>;

const byIds = statement({
  name: "usable-groups",
  text: `SELECT id, name, deactivated, is_system_group AS "isSystemGroup" FROM named_user_group
    WHERE realm_id = $1 AND id = ANY($2::int[])`,
  row: { id: column.int, name: column.text, deactivated: column.bool, isSystemGroup: column.bool },
});

/**
 * The organization's named groups with these ids, by id, deactivated ones too. They stay as they are for as long as the
 * transaction holds the group graph, which it must.
 */
export async function loadNamedGroups(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<Map<number, UsableGroup>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.rows(byIds, [realmId, ids]);
  return new Map(rows.map((group) => [group.id, group]));
}
