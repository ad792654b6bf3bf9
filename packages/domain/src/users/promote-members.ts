import { loadSystemGroups, lockGroupGraph } from "@carillon/model";
import { column, statement, type Database } from "@carillon/db";
import { leads } from "@carillon/scheduling";
import { emit } from "@carillon/events";
import { promoteFullMembers } from "@carillon/jobs";

import { recomputeFullMembers } from "./full-members.ts";

const waiting = statement({
  name: "realms-with-waiting-period",
  text: "SELECT id FROM realms WHERE waiting_period_threshold > 0 AND NOT deactivated ORDER BY id",
  row: { id: column.int },
});

/**
 * Makes full members of those who have passed their organization's waiting period since the last time (user-groups.md
 * §2): one transaction an organization, one process at a time. A full member stays one.
 * @param signal fires when it is to come to an end
 * @returns how many organizations had new ones
 */
export async function promoteMembers(db: Database, signal: AbortSignal): Promise<number> {
  const realms = await db.rows(waiting);
  let promoted = 0;
  for (const { id } of realms) {
    if (signal.aborted) break;
    if (await promoteIn(db, id)) promoted++;
  }
  return promoted;
}

const waitingPeriod = statement({
  name: "waiting-period",
  text: "SELECT waiting_period_threshold AS days FROM realms WHERE id = $1",
  row: { days: column.int },
});

/** The threshold is read under the lock that its change needs. */
function promoteIn(db: Database, realmId: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await leads(tx, promoteFullMembers, realmId))) return false;
    const [, realm, groups] = await Promise.all([
      lockGroupGraph(tx, realmId),
      tx.first(waitingPeriod, [realmId]),
      loadSystemGroups(tx, realmId),
    ]);
    if (!realm || realm.days === 0) return false;
    const group = groups["role:fullmembers"];
    const events = await recomputeFullMembers(tx, realmId, group, realm.days, { both: false });
    emit(tx, realmId, events);
    return events.length > 0;
  });
}
