import {
  addToCounter,
  databaseNow,
  leads,
  overdueRealms,
  type RecurringTask,
} from "@carillon/scheduling";
import { deliverDue, sweep } from "@carillon/jobs";

import type { WorkerServices } from "../services.ts";
import { repairIntents, resumeIntents } from "./repair-intents.ts";

/** Milliseconds overdue after which a pending row may have lost its delivery job, or an intent its job. */
const overdueMs = 10_000;

/**
 * Adds jobs that the queue has lost, and counts them. Uses new ids: BullMQ would drop a job whose old id still exists.
 */
export default {
  definition: sweep,
  async run({ first, ...services }) {
    // When a worker starts, everything that is due gets a job at once: the process that should have sent it may have died.
    await sweepOnce(services, first ? 0 : overdueMs);
  },
} satisfies RecurringTask<Pick<WorkerServices, "queues">>;

/**
 * Adds a job for every organization with rows overdue by more than `overdue` milliseconds, and for every intent that is
 * overdue by as much and has lost its job.
 * @returns the number of these rows and intents
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
  const resumed = await resumeIntents(services);
  if (resumed > 0)
    log.info({ intents: resumed }, "the sweep resumed jobs of reactivated organizations");
  const intents = await repairIntents(services, overdue);
  const rows = realms.reduce((sum, realm) => sum + realm.rows, 0) + intents;
  if (rows === 0) return 0;
  // Work that is due when a worker starts does not count as re-created: it may have been due for a moment only.
  if (overdue >= overdueMs) await addToCounter(db, "sweep_repairs", rows);
  log.warn({ realms: realms.length, rows, intents }, "the sweep re-created lost jobs");
  return rows;
}
