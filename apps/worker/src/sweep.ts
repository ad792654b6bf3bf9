import {
  addToCounter,
  databaseNow,
  lockClass,
  overdueRealms,
  stalledIntents,
  stampIntents,
} from "@carillon/db";
import { deliverDue, intentJobs } from "@carillon/jobs";
import { intentPublications } from "@carillon/queue";

import { every, type Recurring } from "./every.ts";
import type { WorkerServices } from "./services.ts";

/** With the ten seconds below, what an emptied queue lost is sent within 35 s. */
const intervalMs = 20_000;
/** Pending rows that are overdue by so much have lost their alarm. */
const overdueMs = 10_000;
/** Longer than the longest pause between two attempts of an intent's job. */
const quietMs = 15 * 60_000;
/** Intents in one go. */
const limit = 500;

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
 * Adds a job for every organization with rows overdue by more than `overdue` milliseconds, and for every intent that
 * has gone quiet.
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
    const realms = await overdueRealms(tx, overdue);
    const intents = await stalledIntents(tx, { jobs: [...intentJobs.keys()], quietMs, limit });
    return { realms, intents, tick: Math.floor(await databaseNow(tx)) };
  });
  if (!found) return 0;
  const { realms, intents, tick } = found;
  const rows = realms.reduce((sum, realm) => sum + realm.rows, 0) + intents.length;
  if (rows === 0) return 0;
  const second = Math.floor(tick / 1_000);
  await queues.publish(
    realms.map(({ realmId }) => ({ job: deliverDue, payload: { realmId, second, tick } })),
  );
  await queues.publish(
    intentPublications(intents).map((publication) => ({
      ...publication,
      id: `${publication.job.key(publication.payload)}-t${tick}`,
    })),
  );
  await stampIntents(db, intents);
  // What a fresh worker finds due at its start is no repair: it may have been due for a moment only.
  if (overdue >= overdueMs) await addToCounter(db, "sweep_repairs", rows);
  log.warn(
    { realms: realms.length, rows, intents: intents.length },
    "the sweep added what was missing",
  );
  return rows;
}
