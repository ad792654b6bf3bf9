import { lockClass, type Tx } from "@carillon/db";

const graphLock = { name: "group-graph-lock", text: "SELECT pg_advisory_xact_lock($1, $2)" };
const graphHold = {
  name: "group-graph-hold",
  text: "SELECT pg_advisory_xact_lock_shared($1, $2)",
};

/**
 * Waits until nobody else changes who is in the organization's groups, its group graph or its group-valued settings, and
 * keeps others from it until the transaction ends: racing edges never close a circle, and no two requests wait for each
 * other's groups. Accounts come and change their roles under it too: system groups are groups. It must be the first lock
 * of its transaction.
 */
export async function lockGroupGraph(tx: Tx, realmId: number): Promise<void> {
  await tx.rows(graphLock, [lockClass.groups, realmId]);
}

/**
 * Keeps everybody and all groups as they are until the transaction ends, while others may do the same: who is told of
 * a change must not be worked out while somebody comes, who would then have it neither in a snapshot nor as an event.
 * It must be the first lock of its transaction.
 */
export async function holdGroupGraph(tx: Tx, realmId: number): Promise<void> {
  await tx.rows(graphHold, [lockClass.groups, realmId]);
}

/** A named group, as far as using it somewhere needs to know. */
export interface UsableGroup {
  readonly id: number;
  readonly name: string;
  readonly deactivated: boolean;
  readonly isSystemGroup: boolean;
}

/**
 * The organization's named groups with these ids, by id, deactivated ones too; they stay as they are until the
 * transaction ends. System groups never change, so that they need no lock, which everybody would queue for.
 */
export async function lockNamedGroups(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<Map<number, UsableGroup>> {
  if (ids.length === 0) return new Map();
  const columns = `SELECT id, name, deactivated, is_system_group AS "isSystemGroup" FROM named_user_group
    WHERE realm_id = $1 AND id = ANY($2::int[])`;
  const system = await tx.rows<UsableGroup>(`${columns} AND is_system_group`, [realmId, ids]);
  const found = new Map(system.map((group) => [group.id, group]));
  const others = ids.filter((id) => !found.has(id));
  if (others.length > 0) {
    const locked = `${columns} AND NOT is_system_group ORDER BY id FOR SHARE`;
    for (const group of await tx.rows<UsableGroup>(locked, [realmId, others]))
      found.set(group.id, group);
  }
  return found;
}
