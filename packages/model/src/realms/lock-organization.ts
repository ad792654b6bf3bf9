import type { Tx } from "@carillon/db";

/**
 * Keeps the organization's row from everybody else until the transaction ends: its settings, who owns it, and which
 * names its accounts have.
 */
export async function lockOrganization(tx: Tx, realmId: number): Promise<void> {
  await tx.lock(
    { name: "organization", keys: [realmId] },
    "SELECT FROM realms WHERE id = $1 FOR NO KEY UPDATE",
    [realmId],
  );
}

/** Keeps the organization's settings as they are until the transaction ends, while others may do the same. */
export async function holdOrganization(tx: Tx, realmId: number): Promise<void> {
  await tx.lock(
    { name: "organization", keys: [realmId], shared: true },
    "SELECT FROM realms WHERE id = $1 FOR SHARE",
    [realmId],
  );
}
