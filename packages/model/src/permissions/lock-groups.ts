import { statement, lockKeyShared, lockKey, type Tx, type RowOf } from "@carillon/db";

/**
 * Locks the organization's memberships, group graph and group settings exclusively until the transaction ends, so that
 * concurrent changes cannot create a cycle or a deadlock. Creating and deactivating accounts and changing roles take
 * this lock too, because permissions list accounts and system groups contain them.
 */
export async function lockGroupGraph(tx: Tx, realmId: number): Promise<void> {
  await lockKey(tx, "groups", realmId);
}

/**
 * Locks memberships and groups in shared mode until the transaction ends. An event's audience must not be computed
 * while an account is created: the account would have the change neither in its snapshot nor as an event. Nor may an
 * event name an account whose deactivation others have already received.
 */
export async function lockGroupGraphShared(tx: Tx, realmId: number): Promise<void> {
  await lockKeyShared(tx, "groups", realmId);
}

/** A named group with the fields that are needed to use it. */
export type UsableGroup = RowOf<typeof byIds>;

const byIds = statement({
  name: "usable-groups",
  text: `SELECT id, name, deactivated, is_system_group AS "isSystemGroup" FROM named_user_group
    WHERE realm_id = $1 AND id = ANY($2::int[])`,
});

/**
 * Loads the organization's named groups with these ids, by id, including deactivated ones. The transaction must have
 * locked the group graph, so that they stay unchanged.
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
