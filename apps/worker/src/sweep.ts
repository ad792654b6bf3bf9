import { databaseNow, lockClass, overdueRealms } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";

import { every, type Recurring } from "./every.ts";
import type { WorkerServices } from "./services.ts";

/** With the ten seconds below, what an emptied queue lost is sent within 35 s. */
const intervalMs = 20_000;
/** Pending rows that are overdue by so much have lost their alarm. */
const overdueMs = 10_000;

/**
 * The last safety net: whatever the queue lost is added again, under ids of its own, because a job that is still
 * there under the old id would swallow the repair. One sweep at a time does it. What it repairs is counted.
 */
export function startSweep(services: WorkerServices): Recurring {
  let first = true;
  return every(intervalMs, "the sweep", services.log, async () => {
    // After a start, what is due already has waited long enough: whoever should have sent it may have died with it.
    await sweepOnce(services, first ? 0 : overdueMs);
    first = false;
  });
}

/** Adds an alarm for every organization with overdue rows; returns how many rows those are. */
export async function sweepOnce(services: WorkerServices, overdue = overdueMs): Promise<number> {
  const { db, queues, log } = services;
  const found = await db.transaction(async (tx) => {
    const lock = await tx.first<{ held: boolean }>("SELECT pg_try_advisory_xact_lock($1, 0) AS held", [
      lockClass.sweep,
    ]);
    if (!lock?.held) return undefined;
    const realms = await overdueRealms(tx, overdue);
    return { realms, now: await databaseNow(tx) };
  });
  if (!found || found.realms.length === 0) return 0;
  const tick = Math.floor(found.now);
  const second = Math.floor(found.now / 1_000);
  await queues.publish(
    found.realms.map(({ realmId }) => ({ job: deliverDue, payload: { realmId, second, tick } })),
  );
  const rows = found.realms.reduce((sum, realm) => sum + realm.rows, 0);
  log.warn({ rows, realms: found.realms.length }, "the sweep added alarms that were missing");
  return rows;
}
