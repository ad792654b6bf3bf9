import { addToCounter, databaseNow, lockClass, overdueRealms } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";

import { every, type Recurring } from "./every.ts";
import { repairIntents } from "./repair-intents.ts";
import type { WorkerServices } from "./services.ts";

/** With the ten seconds below, what an emptied queue lost is sent within 35 s. */
const intervalMs = 20_000;
/** Pending rows that are overdue by so much have lost their alarm, or may have lost their job. */
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

/**
 * Adds a job for every organization with rows overdue by more than `overdue` milliseconds, and for every intent as
 * overdue whose job is lost.
 * @returns how many rows and intents those are
 */
export async function sweepOnce(services: WorkerServices, overdue = overdueMs): Promise<number> {
  const { db, queues, log } = services;
  const found = await db.transaction(async (tx) => {
    const lock = await tx.first<{ held: boolean }>(
      "SELECT pg_try_advisory_xact_lock($1, 0) AS held",
      [lockClass.sweep],
    );
    if (!lock?.held) return undefined;
    return { realms: await overdueRealms(tx, overdue), tick: Math.floor(await databaseNow(tx)) };
  });
  if (!found) return 0;
  const { realms, tick } = found;
  const second = Math.floor(tick / 1_000);
  await queues.publish(
    realms.map(({ realmId }) => ({ job: deliverDue, payload: { realmId, second, tick } })),
  );
  const intents = await repairIntents(services, overdue);
  const rows = realms.reduce((sum, realm) => sum + realm.rows, 0) + intents;
  if (rows === 0) return 0;
  // What a fresh worker finds due at its start is no repair: it may have been due for a moment only.
  if (overdue >= overdueMs) await addToCounter(db, "sweep_repairs", rows);
  log.warn({ realms: realms.length, rows, intents }, "the sweep added what was missing");
  return rows;
}
