import { stampAlarms, unalarmedRows } from "@carillon/db";
import { alarmHorizonMs, alarmJob } from "@carillon/jobs";

import { every, type Recurring } from "./every.ts";
import type { WorkerServices } from "./services.ts";

const intervalMs = 1_000;
/** A request sets its own alarm; after so long it has not. */
const olderThanMs = 2_000;
const batch = 500;

/**
 * Puts into the queue what a commit left behind: alarms of rows without a stamp, because the process died after the
 * commit, the queue was away, or the row has only now come within the horizon. Several relays may run: ids are the same.
 */
export function startRelay(services: WorkerServices): Recurring {
  return every(intervalMs, "the relay", services.log, () => relayAlarms(services));
}

export async function relayAlarms({ db, queues, log }: WorkerServices): Promise<void> {
  for (;;) {
    const alarms = await unalarmedRows(db, { horizonMs: alarmHorizonMs, olderThanMs, limit: batch });
    if (alarms.length === 0) return;
    const now = Date.now();
    await queues.publish(alarms.map((alarm) => alarmJob(alarm, now)));
    await stampAlarms(db, alarms);
    log.info({ alarms: alarms.length }, "the relay set alarms");
    if (alarms.length < batch) return;
  }
}
