import { statement, type Tx } from "@carillon/db";

const lockHead = statement({
  name: "event-head-lock",
  text: "SELECT FROM event_head WHERE realm_id = $1 FOR NO KEY UPDATE",
});

/**
 * Takes the organization's event-log lock: waits for commits in progress and blocks new ones until this transaction
 * ends, so end it at once. The next statement sees the changes of all events logged so far.
 */
export async function lockEventLog(tx: Tx, realmId: number): Promise<void> {
  await tx.lock({ name: "eventHead", keys: [realmId] }, lockHead, [realmId]);
}
