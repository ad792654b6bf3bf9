import * as contract from "@carillon/contract";
import {
  checkInAtSeries,
  type CreatedSeries,
  createSeries,
  deleteSeries,
  editSeries,
  listOccurrences,
  listSeries,
  pauseSeries,
  previewSchedule,
  resumeSeries,
  sendSeries,
  type SeriesEdit,
  skipOccurrence,
  takeOverSeries,
  timezoneOf,
} from "@carillon/domain";
import { loadRealm } from "@carillon/model";

import { handle } from "../handle.ts";
import { inPages } from "../http/pages.ts";
import { clientOf } from "../services.ts";

type EditParameters = contract.InputOf<typeof contract.editMessageSeries>;

/** Reads the group of managers: a value as at creation, or an update with `old` and `new` (user-groups.md §3). */
function managersOf(given: EditParameters["can_manage_group"]) {
  if (typeof given !== "object" || !("new" in given)) return { canManageGroup: given };
  return { canManageGroup: given.new, expectedManagers: given.old };
}

function inputOf<Input extends EditParameters>(input: Input) {
  const { type, to, topic, content, start, timezone, rrule, template } = input;
  return {
    type,
    to,
    topic,
    content,
    start,
    timezone,
    rrule,
    excludedDates: input.excluded_dates,
    template,
    unless: input.unless,
    catchUpSeconds: input.catch_up_seconds,
    ...managersOf(input.can_manage_group),
  } satisfies SeriesEdit;
}

export default [
  handle.reads(contract.listMessageSeries, async ({ sql, snapshot, actor }) => ({
    message_series: inPages(await snapshot((tx) => listSeries(tx, actor)), sql),
  })),

  handle.prepared(
    contract.createMessageSeries,
    async ({ db, input, actor, client, services }) => {
      const author = { actor, client: await clientOf(services, actor, client) };
      const { type, to, content, start, rrule } = input;
      const required = { type, to, content, start, rrule };
      return db.transaction((tx) =>
        createSeries(tx, services.site, author, { ...inputOf(input), ...required }),
      );
    },
    ({ seriesId, occurrences }: CreatedSeries) => ({ series_id: seriesId, occurrences }),
  ),

  handle.reads(contract.previewMessageSeries, async ({ sql, input, actor }) => {
    const { start, timezone, rrule, count } = input;
    return previewSchedule({
      start,
      timezone: timezoneOf(actor, timezone),
      rrule,
      excludedDates: input.excluded_dates ?? [],
      after: input.after ?? (await loadRealm(sql, actor.realmId)).now,
      count,
    });
  }),

  handle.reads(contract.listSeriesOccurrences, ({ snapshot, path, input, actor }) =>
    snapshot((tx) => listOccurrences(tx, actor, path.series_id, input.count)),
  ),

  handle.prepared(
    contract.editMessageSeries,
    async ({ db, input, path, actor, client, services }) => {
      const author = { actor, client: await clientOf(services, actor, client) };
      return db.transaction((tx) =>
        editSeries(tx, services.site, author, path.series_id, inputOf(input)),
      );
    },
    (occurrences: readonly contract.SeriesOccurrence[]) => ({ occurrences: [...occurrences] }),
  ),

  handle.changes(contract.deleteMessageSeries, ({ tx, path, actor }) =>
    deleteSeries(tx, actor, path.series_id),
  ),

  handle.changes(contract.pauseMessageSeries, ({ tx, path, actor }) =>
    pauseSeries(tx, actor, path.series_id),
  ),

  handle.changes(contract.resumeMessageSeries, ({ tx, path, actor, services }) =>
    resumeSeries(tx, services.site, actor, path.series_id),
  ),

  handle.changes(contract.skipSeriesOccurrence, async ({ tx, path, input, actor, services }) => {
    const result = await skipOccurrence(tx, services.site, actor, path.series_id, input.occurrence);
    return { skipped: result.skipped, occurrences: [...result.occurrences] };
  }),

  handle.prepared(
    contract.sendSeriesNow,
    async ({ db, path, actor, client, services }) => {
      const sendingClient = await clientOf(services, actor, client);
      return db.transaction((tx) =>
        sendSeries(tx, services.site, actor, sendingClient, path.series_id),
      );
    },
    (id: number) => ({ id }),
  ),

  handle.prepared(
    contract.takeOverMessageSeries,
    async ({ db, path, actor, client, services }) => {
      const author = { actor, client: await clientOf(services, actor, client) };
      await db.transaction((tx) => takeOverSeries(tx, services.site, author, path.series_id));
    },
    () => ({}),
  ),

  handle.changes(contract.checkInAtMessageSeries, async ({ tx, path, actor }) => ({
    scheduled_delivery_timestamp: await checkInAtSeries(tx, actor, path.series_id),
  })),
];
