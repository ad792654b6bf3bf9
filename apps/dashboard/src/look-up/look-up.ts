import type { Database } from "@carillon/db";
import type { Queues } from "@carillon/queue";
import type { Criteria } from "./criteria.ts";
import { findBy } from "./find-by.ts";
import { findFailures } from "./find-failures.ts";
import { findIntents, type IntentView } from "./find-intents.ts";
import { findDeliveryJobs, findJobs, type FoundJob } from "./find-jobs.ts";
import { findAccounts, findChannels, type AccountView, type ChannelView } from "./find-places.ts";
import { findScheduled, loadScheduled, type ScheduledView } from "./find-scheduled.ts";
import { findWithheld, findWithheldBy, type WithheldView } from "./find-withheld.ts";
import { timelineOf, type TimelineStep } from "./timeline.ts";
import type { Where } from "./where.ts";
import { findSeriesView, type FoundSeries } from "../series/list.ts";

/** A scheduled message with its delivery jobs and its timeline. */
export interface FoundScheduled extends ScheduledView {
  readonly deliveryJobs: readonly FoundJob[];
  readonly timeline: readonly TimelineStep[];
}

/** Everything found by one id. */
export interface Found {
  readonly scheduled: readonly FoundScheduled[];
  readonly withheld: readonly WithheldView[];
  readonly series: readonly FoundSeries[];
  readonly intents: readonly IntentView[];
  readonly jobs: readonly FoundJob[];
}

export const nothingFound: Found = {
  scheduled: [],
  withheld: [],
  series: [],
  intents: [],
  jobs: [],
};

/** Whether anything was found. */
export function isFound(found: Found | undefined): boolean {
  return found !== undefined && Object.values(found).some((list) => list.length > 0);
}

/** Ids of rows are numbers, ids of queue jobs are words. */
const rowId = /^\d{1,15}$/;

/** The id of a series, as the scheduling bot writes it, optionally with the local date of an occurrence. */
const seriesId = /^s(\d{1,9})(?:\/(\d{4}-\d\d-\d\d))?$/;

/** Format of all our ids. */
const anyId = /^[\w.@/-]{1,200}$/;

interface Stores {
  readonly db: Database;
  readonly queues: Queues;
}

/**
 * Looks up an id: of a scheduled message, of the message that it became, of a series (`s5`), of an occurrence of it
 * (`s5/2026-12-01`), of a job intent (by id or key), or of a queue job.
 * @returns undefined for a malformed id
 */
export async function lookUp({ db, queues }: Stores, id: string): Promise<Found | undefined> {
  if (!anyId.test(id)) return undefined;
  const [, series, occurrence] = seriesId.exec(id) ?? [];
  if (series !== undefined) return lookUpSeries({ db, queues }, Number(series), occurrence);
  if (!rowId.test(id)) {
    const [intents, jobs] = await Promise.all([findIntents(db, id), findJobs(queues, id)]);
    return { ...nothingFound, intents, jobs };
  }
  const number = Number(id);
  const [rows, withheld, intents] = await Promise.all([
    findScheduled(db, number),
    findWithheld(db, number),
    findIntents(db, number),
  ]);
  const scheduled = await withTimelines({ db, queues }, rows);
  return { ...nothingFound, scheduled, withheld, intents };
}

/** Looks up a series and, if given, one occurrence, with its scheduled message if it is planned or was sent. */
async function lookUpSeries(
  stores: Stores,
  id: number,
  occurrence: string | undefined,
): Promise<Found> {
  if (occurrence !== undefined && !isDate(occurrence)) return nothingFound;
  const found = await findSeriesView(stores.db, id, occurrence);
  if (!found) return nothingFound;
  const [run] = occurrence === undefined ? [] : found.runs;
  const rowId =
    run?.outcome === "sent"
      ? run.messageId
      : found.nextOccurrence === occurrence
        ? found.nextId
        : null;
  const rows = rowId === null ? [] : await findScheduled(stores.db, rowId);
  // findScheduled() also finds a row whose own id equals the id of the sent message.
  const own = rows.filter((row) => row.seriesId === id && row.occurrence === occurrence);
  return { ...nothingFound, series: [found], scheduled: await withTimelines(stores, own) };
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text);
}

async function withTimelines(
  { db, queues }: Stores,
  rows: readonly ScheduledView[],
): Promise<FoundScheduled[]> {
  const failures = await findFailures(
    db,
    rows.map((row) => row.id),
  );
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      deliveryJobs: await findDeliveryJobs(queues, row),
      timeline: timelineOf(
        row,
        failures.filter(({ scheduledMessageId }) => scheduledMessageId === row.id),
      ),
    })),
  );
}

/** Results for an address, a channel or a time. */
export interface FoundMany {
  /** Undefined without a requested address. */
  readonly accounts: readonly AccountView[] | undefined;
  readonly channels: readonly ChannelView[] | undefined;
  readonly messages: readonly ScheduledView[];
  readonly withheld: readonly WithheldView[];
}

/** Looks up scheduled messages and reminders by account, channel and time, combined. */
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
  const where: Where = {
    ...(accounts ? { accounts } : {}),
    ...(channels ? { channels } : {}),
    ...(at === undefined ? {} : { span: [at - within, at + within] }),
  };
  const [ids, withheld] = none
    ? [[], []]
    : await Promise.all([findBy(db, where), findWithheldBy(db, where)]);
  return { accounts, channels, messages: await loadScheduled(db, ids), withheld };
}
