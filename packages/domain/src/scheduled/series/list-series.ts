import {
  type MessageSeries,
  type SeriesOccurrence,
  type SeriesRun,
  seriesPermissions,
  usualOccurrences,
} from "@carillon/contract";
import { composed, notNull, type PagedList, readList, type Sql, type Tx } from "@carillon/db";
import {
  type Account,
  channelAdministrable,
  columnsOf,
  holdsPermission,
  loadGroupValues,
  loadRealm,
  SqlValues,
} from "@carillon/model";

import { requireSeries } from "./access.ts";
import { listRuns } from "./runs.ts";
import { checkSchedule, occurrencesAfter, presentOccurrence } from "./schedule.ts";
import { presentSeries } from "./series-events.ts";
import { readPlanned, readSeries, type SeriesRow } from "./series-row.ts";

/** SQL: the group that manages a series. */
const [managers = ""] = columnsOf(seriesPermissions).map((column) => `m.${column}`);

/**
 * Selects the ids and approximate sizes of the series that an account wrote or manages and, with `administered`, of those
 * in channels that it administers.
 */
const sizes = composed({
  name: "series-sizes",
  overrides: { bytes: notNull },
  compose(viewer: Pick<Account, "id" | "realmId" | "role">, administered: boolean) {
    const values = new SqlValues();
    const realm = values.add(viewer.realmId, "int");
    const own = `m.author_id = ${values.add(viewer.id, "int")} OR ${holdsPermission(viewer, managers)(values)}`;
    const channels = administered
      ? ` OR EXISTS (SELECT FROM channels c WHERE c.id = m.channel_id AND ${channelAdministrable(viewer)(values)})`
      : "";
    return {
      text: `SELECT m.id, octet_length(m.content) + 1000 + 15 * cardinality(m.excluded_dates) AS bytes
        FROM message_series m WHERE m.realm_id = ${realm} AND (${own}${channels}) ORDER BY m.id`,
      values: values.list,
      recurs: true,
    };
  },
  examples: (compose) =>
    [100, 400, 600].flatMap((role) =>
      [true, false].map((administered) => compose({ id: 1, realmId: 1, role }, administered)),
    ),
});

async function presentAll(sql: Sql, ids: readonly number[]): Promise<MessageSeries[]> {
  const [rows, planned] = await Promise.all([readSeries(sql, ids), readPlanned(sql, ids)]);
  const valueOf = await loadGroupValues(
    sql,
    [...rows.values()].map(({ canManageGroupId }) => canManageGroupId),
  );
  return [...rows.values()].map((series) =>
    presentSeries({ series, planned: planned.get(series.id) }, valueOf(series.canManageGroupId)),
  );
}

/**
 * Lists the series that the account may see, by id (once-and-again.md §3.1): a large list in pages, a small one as an array.
 * @param sql a repeatable read transaction
 */
export async function listSeries(
  sql: Sql,
  actor: Account,
): Promise<MessageSeries[] | PagedList<MessageSeries>> {
  return readList(sql, await sizes(sql, actor, true), presentAll);
}

/** Lists the series that the account wrote or manages, whose events it gets, as {@link listSeries} does. */
export async function listOwnSeries(
  sql: Sql,
  actor: Account,
): Promise<MessageSeries[] | PagedList<MessageSeries>> {
  return readList(sql, await sizes(sql, actor, false), presentAll);
}

/** Lists the next occurrences of a series. */
export async function upcoming(
  series: SeriesRow,
  now: number,
  count: number = usualOccurrences,
): Promise<SeriesOccurrence[]> {
  const { schedule } = await checkSchedule(series);
  return occurrencesAfter(schedule, now, series.lastOccurrence, count).map(presentOccurrence);
}

/**
 * Lists the next occurrences of a series, and how the last ones ended.
 * @throws ApiError `BAD_REQUEST` with status 404 if the account may not see the series
 */
export async function listOccurrences(
  sql: Tx,
  actor: Account,
  id: number,
  count: number,
): Promise<{ occurrences: SeriesOccurrence[]; runs: SeriesRun[] }> {
  const series = await requireSeries(sql, actor, id);
  const { now } = await loadRealm(sql, actor.realmId);
  return { occurrences: await upcoming(series, now, count), runs: await listRuns(sql, id) };
}
