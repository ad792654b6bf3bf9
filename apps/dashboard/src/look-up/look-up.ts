import type { Database } from "@carillon/db";
import type { Queues } from "@carillon/queue";
import type { Criteria } from "./criteria.ts";
import { findBy } from "./find-by.ts";
import { findFailures } from "./find-failures.ts";
import { findIntents, type IntentView } from "./find-intents.ts";
import { findDeliveryJobs, findJobs, type FoundJob } from "./find-jobs.ts";
import { findAccounts, findChannels, type AccountView, type ChannelView } from "./find-places.ts";
import { findScheduled, loadScheduled, type ScheduledView } from "./find-scheduled.ts";
import { timelineOf, type TimelineStep } from "./timeline.ts";

/** A scheduled message with its delivery jobs in the queue and its whole way. */
export interface FoundScheduled extends ScheduledView {
  readonly deliveryJobs: readonly FoundJob[];
  readonly timeline: readonly TimelineStep[];
}

/** Everything that goes by one id. */
export interface Found {
  readonly scheduled: readonly FoundScheduled[];
  readonly intents: readonly IntentView[];
  readonly jobs: readonly FoundJob[];
}

/** Ids of rows are numbers, ids of jobs are words. */
const rowId = /^\d{1,15}$/;

/** No id of ours is longer, or has other characters. */
const anyId = /^[\w.@/-]{1,200}$/;

interface Stores {
  readonly db: Database;
  readonly queues: Queues;
}

/**
 * Looks an id up: of a scheduled message, of the message that it became, of background work (by its number or its
 * key), or of a job in a queue.
 * @returns undefined when it cannot be the id of anything
 */
export async function lookUp({ db, queues }: Stores, id: string): Promise<Found | undefined> {
  if (!anyId.test(id)) return undefined;
  if (!rowId.test(id)) {
    const [intents, jobs] = await Promise.all([findIntents(db, id), findJobs(queues, id)]);
    return { scheduled: [], intents, jobs };
  }
  const number = Number(id);
  const [rows, intents] = await Promise.all([findScheduled(db, number), findIntents(db, number)]);
  const failures = await findFailures(
    db,
    rows.map((row) => row.id),
  );
  const scheduled = await Promise.all(
    rows.map(async (row) => ({
      ...row,
      deliveryJobs: await findDeliveryJobs(queues, row),
      timeline: timelineOf(
        row,
        failures.filter(({ scheduledMessageId }) => scheduledMessageId === row.id),
      ),
    })),
  );
  return { scheduled, intents, jobs: [] };
}

/** What goes by an address, a channel or a time. */
export interface FoundMany {
  /** Undefined where no address was asked for. */
  readonly accounts: readonly AccountView[] | undefined;
  readonly channels: readonly ChannelView[] | undefined;
  readonly messages: readonly ScheduledView[];
}

/** Looks scheduled messages and reminders up by their account, their channel and their time: what holds for all. */
export async function lookUpBy(
  { db }: Pick<Stores, "db">,
  { address, channel, at, withinMinutes }: Criteria,
): Promise<FoundMany> {
  const [accounts, channels] = await Promise.all([
    address === undefined ? undefined : findAccounts(db, address),
    channel === undefined ? undefined : findChannels(db, channel),
  ]);
  const none = accounts?.length === 0 || channels?.length === 0;
  const within = withinMinutes * 60;
  const ids = none
    ? []
    : await findBy(db, {
        ...(accounts ? { accounts } : {}),
        ...(channels ? { channels } : {}),
        ...(at === undefined ? {} : { span: [at - within, at + within] }),
      });
  return { accounts, channels, messages: await loadScheduled(db, ids) };
}
