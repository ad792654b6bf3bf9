import type { Sql } from "@carillon/db";
import type { Queues } from "@carillon/queue";
import { findIntents, type IntentView } from "./find-intents.ts";
import { findAlarms, findJobs, type FoundJob } from "./find-jobs.ts";
import { findScheduled, type ScheduledView } from "./find-scheduled.ts";

/** Everything that goes by one id. */
export interface Found {
  readonly scheduled: readonly (ScheduledView & { readonly alarms: readonly FoundJob[] })[];
  readonly intents: readonly IntentView[];
  readonly jobs: readonly FoundJob[];
}

/** Ids of rows are numbers, ids of jobs are words. */
const rowId = /^\d{1,15}$/;

/** No id of ours is longer, or has other characters. */
const anyId = /^[\w.@/-]{1,200}$/;

/**
 * Looks an id up: of a scheduled message, of the message that it became, of background work (by its number or its
 * key), or of a job in a queue.
 * @returns undefined when it cannot be the id of anything
 */
export async function lookUp(
  { db, queues }: { readonly db: Sql; readonly queues: Queues },
  id: string,
): Promise<Found | undefined> {
  if (!anyId.test(id)) return undefined;
  if (!rowId.test(id)) {
    const [intents, jobs] = await Promise.all([findIntents(db, id), findJobs(queues, id)]);
    return { scheduled: [], intents, jobs };
  }
  const number = Number(id);
  const [rows, intents] = await Promise.all([findScheduled(db, number), findIntents(db, number)]);
  const scheduled = await Promise.all(
    rows.map(async (row) => ({ ...row, alarms: await findAlarms(queues, row) })),
  );
  return { scheduled, intents, jobs: [] };
}
