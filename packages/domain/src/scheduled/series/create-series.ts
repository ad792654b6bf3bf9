import {
  type Condition,
  errors,
  maxSeries,
  seriesPermissions,
  type GroupSettingValue,
  type SeriesOccurrence,
  usualCatchUp,
  usualOccurrences,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { runsOlderProcess } from "@carillon/scheduling";
import {
  type Account,
  currentActor,
  loadRealm,
  loadSystemGroups,
  lockAccount,
  lockGroupGraph,
  newGroupSettings,
  recordAudit,
  type Site,
  storeNewGroupSettings,
} from "@carillon/model";

import { checkUnless } from "../conditions.ts";
import { planOccurrences } from "./plan-occurrences.ts";
import {
  checkOccurs,
  checkSchedule,
  checkTemplates,
  occurrencesAfter,
  presentOccurrence,
} from "./schedule.ts";
import { seriesEvents } from "./series-events.ts";
import { checkSeriesMessage, type MessageParameters, type SeriesAuthor } from "./series-message.ts";
import { insertSeries } from "./store-series.ts";

/** Parameters of a series, as a request gives them. */
export interface SeriesInput extends MessageParameters {
  readonly start?: string | undefined;
  readonly timezone?: string | undefined;
  readonly rrule?: string | undefined;
  readonly excludedDates?: readonly string[] | undefined;
  readonly template?: boolean | undefined;
  readonly unless?: readonly Condition[] | undefined;
  readonly catchUpSeconds?: number | undefined;
  readonly canManageGroup?: GroupSettingValue | undefined;
}

/** Parameters of an edit. */
export interface SeriesEdit extends SeriesInput {
  /** The value of `can_manage_group` that the caller expects; undefined for any. */
  readonly expectedManagers?: GroupSettingValue | undefined;
}

/** Parameters of a new series. */
export type NewSeriesInput = SeriesInput &
  Required<Pick<SeriesInput, "type" | "to" | "content" | "start" | "rrule">>;

/** A new series and its next occurrences. */
export interface CreatedSeries {
  readonly seriesId: number;
  readonly occurrences: SeriesOccurrence[];
}

/**
 * Creates a series and plans its first occurrence (once-and-again.md §3).
 * @throws ApiError for the first parameter in the order of §3.2 that is refused
 */
export async function createSeries(
  tx: Tx,
  site: Site,
  author: SeriesAuthor,
  input: NewSeriesInput,
): Promise<CreatedSeries> {
  const { realmId } = author.actor;
  if (input.canManageGroup !== undefined) await lockGroupGraph(tx, realmId);
  await lockAccount(tx, realmId, author.actor.id);
  const actor = await currentActor(tx, author.actor);
  const realm = await loadRealm(tx, realmId);
  const { template = false } = input;
  const message = await checkSeriesMessage(tx, site, realm, { ...author, actor }, input, template);
  const checked = await checkSchedule({
    start: input.start!,
    timezone: timezoneOf(actor, input.timezone),
    rrule: input.rrule!,
    excludedDates: input.excludedDates ?? [],
  });
  checkOccurs(checked, realm.now);
  if (template) checkTemplates(message.topic, message.content);
  const unless = await checkUnless(tx, realm, {
    actor,
    unless: input.unless,
    toChannel: message.channelId !== null,
    inSeries: true,
  });
  const canManageGroupId = await storeManagers(tx, actor, input.canManageGroup);
  await checkSeriesBound(tx, actor.id);
  if (await runsOlderProcess(tx, "series")) throw errors.olderProcesses();
  const series = await insertSeries(tx, {
    realmId,
    ...message,
    ...checked.stored,
    template,
    unless,
    catchUpSeconds: input.catchUpSeconds ?? usualCatchUp,
    canManageGroupId,
  });
  const next = occurrencesAfter(checked.schedule, realm.now, null, usualOccurrences);
  const { rows, events } = await planOccurrences(
    tx,
    site,
    realm,
    next.slice(0, 1).map((occurrence) => ({ series, occurrence })),
  );
  recordAudit(tx, realmId, actor.id, [
    { type: "message_series_created", userId: actor.id, data: { series_id: series.id } },
  ]);
  emit(tx, realmId, [
    ...events,
    ...(await seriesEvents(tx, [{ after: { series, planned: rows[0] } }])),
  ]);
  return { seriesId: series.id, occurrences: next.map(presentOccurrence) };
}

/**
 * Returns the time zone of a schedule: the given one, or the account's.
 * @throws ApiError `REQUEST_VARIABLE_MISSING` if none is given and the account has none
 */
export function timezoneOf(actor: Account, given: string | undefined): string {
  const timezone = given ?? actor.timezone;
  if (given === undefined && timezone === "") throw errors.requestVariableMissing("timezone");
  return timezone;
}

/**
 * Checks and stores the managers of a series.
 * @returns the group id for `can_manage_group_id`
 * @throws ApiError `BAD_REQUEST`
 */
export async function storeManagers(
  tx: Tx,
  actor: Account,
  given: GroupSettingValue | undefined,
): Promise<number> {
  const settings = await newGroupSettings(
    tx,
    actor.realmId,
    seriesPermissions,
    { canManageGroup: given },
    { creatorId: actor.id, systemGroups: await loadSystemGroups(tx, actor.realmId) },
  );
  const [stored] = await storeNewGroupSettings(tx, actor.realmId, settings, 1);
  return stored!.canManageGroup;
}

/**
 * Checks that the account may have one more series. The account must be locked.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkSeriesBound(tx: Tx, authorId: number): Promise<void> {
  const prisma = await tx.prisma();
  const series = await prisma.messageSeries.count({
    where: { authorId, state: { not: "ended" } },
  });
  if (series >= maxSeries)
    throw errors.badRequest(
      `You have ${maxSeries} series that have not ended, and cannot have more`,
    );
}
