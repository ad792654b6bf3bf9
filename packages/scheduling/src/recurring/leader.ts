import { column, lockClass, statement, type Tx } from "@carillon/db";
import type { RecurringDefinition } from "@carillon/jobs";

const tryLock = statement({
  name: "leader-lock",
  text: `SELECT pg_try_advisory_xact_lock(${lockClass.leader}, hashtext($1)) AS held`,
  row: { held: column.bool },
});

/**
 * Whether this transaction leads the recurring work, in one organization where there is one leader for each. The lock
 * ends with the transaction, and the server ends that of a frozen process after ten seconds: nobody leads for ever.
 * @param lane of work that goes on in several transactions at once: each lane has a leader of its own
 * @throws Error for work that is declared to have no leader
 */
export async function leads(
  tx: Tx,
  { name, leader }: RecurringDefinition,
  realmId?: number,
  lane = 0,
): Promise<boolean> {
  if ((leader === "one per organization") !== (realmId !== undefined) || leader === "none")
    throw new Error(`${name} is declared with another leader than it asks for: ${leader}`);
  const led = realmId === undefined ? name : `${name}/${realmId}`;
  const key = lane === 0 ? led : `${led}/lane ${lane}`;
  const lock = await tx.first(tryLock, [key]);
  return lock?.held ?? false;
}
