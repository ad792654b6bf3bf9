import { statement, type Tx } from "@carillon/db";

const hold = statement({
  name: "event-head-hold",
  text: "SELECT FROM event_head WHERE realm_id = $1 FOR NO KEY UPDATE",
  row: {},
});

/**
 * Waits for those who are committing changes with events, and lets nobody else of the organization commit any until the
 * transaction ends, which must be at once: whatever was told before its own events, its next statement sees.
 */
export async function holdHead(tx: Tx, realmId: number): Promise<void> {
  await tx.lock({ name: "eventHead", keys: [realmId] }, hold, [realmId]);
}
