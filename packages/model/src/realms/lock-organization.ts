import { statement, type Tx } from "@carillon/db";

const lock = statement({
  name: "organization-lock",
  text: "SELECT FROM realms WHERE id = $1 FOR NO KEY UPDATE",
  row: {},
});

/**
 * Keeps the organization's row from everybody else until the transaction ends: its settings, who owns it, and which
 * names its accounts have.
 */
export async function lockOrganization(tx: Tx, realmId: number): Promise<void> {
  await tx.lock({ name: "organization", keys: [realmId] }, lock, [realmId]);
}

const lockShared = statement({
  name: "organization-lock-shared",
  text: "SELECT FROM realms WHERE id = $1 FOR SHARE",
  row: {},
});

/** Keeps the organization's settings as they are until the transaction ends, while others may do the same. */
export async function holdOrganization(tx: Tx, realmId: number): Promise<void> {
  await tx.lock({ name: "organization", keys: [realmId], shared: true }, lockShared, [realmId]);
}
