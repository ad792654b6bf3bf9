import { lockClass, statement, type Tx } from "@carillon/db";
import type { RecurringDefinition } from "@carillon/jobs";

const tryLock = statement({
  name: "leader-lock",
  text: `SELECT pg_try_advisory_xact_lock(${lockClass.leader}, hashtext($1)) AS held`,
});

/**
 * Returns whether this transaction leads the recurring work, in the organization if the work has one leader for each. The
 * lock ends with the transaction, and the server ends the transaction of a frozen process after ten seconds.
 * @param loop for work that runs in several loops at once: each loop has its own leader
 * @throws Error when the work is declared with another kind of leader, or none
 */
export async function leads(
  tx: Tx,
  { name, leader }: RecurringDefinition,
  realmId?: number,
  loop = 0,
): Promise<boolean> {
  if ((leader === "one per organization") !== (realmId !== undefined) || leader === "none")
    throw new Error(
      `${name} is declared with leader "${leader}", and the call asks for another kind`,
    );
  const work = realmId === undefined ? name : `${name}/${realmId}`;
  const key = loop === 0 ? work : `${work}/lane ${loop}`;
  const lock = await tx.first(tryLock, [key]);
  return lock?.held ?? false;
}
