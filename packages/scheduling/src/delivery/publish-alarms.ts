import type { Sql } from "@carillon/db";
import { alarmJob, type Alarm, type DeliverDue, type Publication } from "@carillon/jobs";

import { stampAlarms } from "./alarms.ts";

/** Adds jobs to the queue. */
export type Publish = (jobs: ReadonlyArray<Publication<DeliverDue>>) => Promise<void>;

/**
 * Adds the jobs of alarms to the queue, and stamps their rows. The process's clock may be wrong, and then an alarm may be
 * added to the job of its second when that is running or has run. The database's clock finds that out with the stamp,
 * and such alarms get jobs of their own.
 * @param now UNIX milliseconds, by the clock that the queue compares with
 */
export async function publishAlarms(
  sql: Sql,
  publish: Publish,
  alarms: readonly Alarm[],
  now: number,
): Promise<void> {
  const tooSoon = await addAndStamp(sql, publish, alarms, (alarm) => alarmJob(alarm, now));
  const late = alarms.filter(({ scheduledMessageId }) => tooSoon.has(scheduledMessageId));
  if (late.length > 0)
    await addAndStamp(sql, publish, late, (alarm) => alarmJob(alarm, now, false));
}

async function addAndStamp(
  sql: Sql,
  publish: Publish,
  alarms: readonly Alarm[],
  jobOf: (alarm: Alarm) => ReturnType<typeof alarmJob>,
): Promise<Set<number>> {
  const added = alarms.map((alarm) => ({ alarm, ...jobOf(alarm) }));
  await publish(
    added.map(({ job, payload, delayMs }) => ({ job, payload, delayMs: delayMs ?? 0 })),
  );
  return stampAlarms(sql, added);
}
