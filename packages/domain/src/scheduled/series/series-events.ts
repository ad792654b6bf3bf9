import {
  type GroupSettingValue,
  type MessageSeries,
  messageSeriesAdded,
  messageSeriesRemoved,
  messageSeriesUpdated,
  type NewEvent,
  roles,
} from "@carillon/contract";
import { notNull, packed, type Sql, statement } from "@carillon/db";
import { loadGroupValues } from "@carillon/model";

import type { PlannedRow, SeriesRow } from "./series-row.ts";

/** A series with its planned occurrence. */
export interface PlannedSeries {
  readonly series: SeriesRow;
  readonly planned: Pick<PlannedRow, "id" | "occurrence" | "deliverAt"> | undefined;
}

/** Returns the series as clients see it (once-and-again.md §3.1). */
export function presentSeries(
  { series, planned }: PlannedSeries,
  managers: GroupSettingValue,
): MessageSeries {
  return {
    series_id: series.id,
    author_id: series.authorId,
    ...recipientOfSeries(series),
    content: series.content,
    start: series.start,
    timezone: series.timezone,
    rrule: series.rrule,
    excluded_dates: series.excludedDates,
    template: series.template,
    unless: [...(series.unless ?? [])],
    catch_up_seconds: series.catchUpSeconds,
    can_manage_group: managers,
    state: series.state,
    paused_reason: series.pausedReason,
    next_occurrence: planned?.occurrence ?? null,
    next_delivery_timestamp: planned?.deliverAt ?? null,
    next_scheduled_message_id: planned?.id ?? null,
    sent_count: series.sentCount,
    consecutive_failures: series.consecutiveFailures,
    version: series.version,
  };
}

function recipientOfSeries(series: SeriesRow): Pick<MessageSeries, "type" | "to" | "topic"> {
  if (series.channelId !== null)
    return { type: "stream", to: series.channelId, topic: series.topic };
  return { type: "private", to: correspondents(series) };
}

/** Returns the participants of a direct series without its author; only the author if there are no others. */
function correspondents({ memberIds, authorId }: SeriesRow): number[] {
  const others = (memberIds ?? []).filter((id) => id !== authorId);
  return others.length > 0 ? others : [authorId];
}

/**
 * Largest managing group whose members get events of its series. For a larger group only the author does, so that the
 * delivery of hundreds of occurrences does not write events for thousands of accounts each.
 */
const maxNotified = 200;

const managers = statement({
  name: "series-managers",
  text: `WITH RECURSIVE wanted AS (
      SELECT g.id FROM unnest($1::int[]) AS g (id)
    ), below (start, id) AS (
      SELECT id, id FROM wanted
      UNION SELECT below.start, s.subgroup_id FROM below JOIN user_group_subgroup s ON s.supergroup_id = below.id
    )
    SELECT wanted.id, coalesce(members.ids, '{}') AS ids FROM wanted LEFT JOIN LATERAL (
      SELECT array_agg(found.id ORDER BY found.id) AS ids FROM (
        SELECT DISTINCT u.id FROM below JOIN user_group_member m ON m.group_id = below.id
          JOIN users u ON u.id = m.user_id AND u.is_active AND u.role <> ${roles.guest}
        WHERE below.start = wanted.id ORDER BY u.id LIMIT $2
      ) found
    ) members ON true`,
  overrides: { id: notNull },
});

/**
 * Loads the active members of managing groups, without guests, by the id of the group.
 * @param most maximum number for one group; those with the lowest ids are returned
 */
export async function loadManagers(
  sql: Sql,
  groupIds: readonly number[],
  most: number,
): Promise<Map<number, number[]>> {
  const rows = await sql.rows(managers, [packed.ints([...new Set(groupIds)]), most]);
  return new Map(rows.map(({ id, ids }) => [id, ids]));
}

type Groups = ReadonlyMap<number, readonly number[]>;

/** Returns the accounts that get events of a series: its author and its managers. */
function audienceOf({ authorId, canManageGroupId }: SeriesRow, groups: Groups): number[] {
  const members = groups.get(canManageGroupId) ?? [];
  return [...new Set([authorId, ...(members.length > maxNotified ? [] : members)])];
}

/** A change of a series. */
export interface SeriesChange {
  /** Undefined for a new series. */
  readonly before?: SeriesRow | undefined;
  /** Undefined for a deleted series. */
  readonly after?: PlannedSeries | undefined;
}

/**
 * Makes the events of changed series. Accounts that join the audience, which is the author and the managers, get `add`,
 * accounts that stay in it get `update`, and accounts that leave it get `remove`.
 */
export async function seriesEvents(
  sql: Sql,
  changes: readonly SeriesChange[],
): Promise<NewEvent[]> {
  const groupIds = changes.flatMap(({ before, after }) => [
    ...(before ? [before.canManageGroupId] : []),
    ...(after ? [after.series.canManageGroupId] : []),
  ]);
  if (groupIds.length === 0) return [];
  const [groups, valueOf] = await Promise.all([
    loadManagers(sql, groupIds, maxNotified + 1),
    loadGroupValues(sql, groupIds),
  ]);
  return changes.flatMap(({ before, after }) => {
    const old = before ? audienceOf(before, groups) : [];
    const now = after ? audienceOf(after.series, groups) : [];
    const staying = now.filter((id) => old.includes(id));
    const [coming, leaving] = [without(now, old), without(old, now)];
    const record = after && presentSeries(after, valueOf(after.series.canManageGroupId));
    return [
      ...(record && staying.length > 0
        ? [messageSeriesUpdated({ message_series: record }, { audience: staying })]
        : []),
      ...(record && coming.length > 0
        ? [messageSeriesAdded({ message_series: record }, { audience: coming })]
        : []),
      ...(before && leaving.length > 0
        ? [messageSeriesRemoved({ series_id: before.id }, { audience: leaving })]
        : []),
    ];
  });
}

function without(ids: readonly number[], excluded: readonly number[]): number[] {
  return ids.filter((id) => !excluded.includes(id));
}
