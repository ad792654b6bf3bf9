import {
  addToCounter,
  databaseNow,
  leads,
  overdueRealms,
  type RecurringTask,
} from "@carillon/scheduling";
import { deliverDue, sweep } from "@carillon/jobs";

import type { WorkerServices } from "../services.ts";
import { repairIntents } from "./repair-intents.ts";

/** Pending rows that are overdue by so much, in milliseconds, have lost their delivery job, or may have lost their job. */
const overdueMs = 10_000;

/**
 * Adds again whatever the queue lost, under ids of its own, because a job that is still there under the old id would
 * swallow the repair. What it repairs is counted.
 */
export default {
  definition: sweep,
  async run({ first, ...services }) {
    // After a start, what is due already has waited long enough: the process that should have sent it may have died.
    await sweepOnce(services, first ? 0 : overdueMs);
  },
} satisfies RecurringTask<Pick<WorkerServices, "queues">>;

/**
 * Adds a job for every organization with rows overdue by more than `overdue` milliseconds, and for every intent as
 * overdue whose job is lost.
 * @returns how many rows and intents those are
 */
export async function sweepOnce(
  services: Pick<WorkerServices, "db" | "queues" | "log">,
  overdue = overdueMs,
): Promise<number> {
  const { db, queues, log } = services;
  const found = await db.transaction(async (tx) => {
    if (!(await leads(tx, sweep))) return undefined;
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
