import { errors, seriesPermissions } from "@carillon/contract";
import type { Sql, Tx } from "@carillon/db";
import { type Account, canAdminister, loadChannels, loadMemberships } from "@carillon/model";

import { findSeries, openSeries, type OpenSeries, type SeriesRow } from "./series-row.ts";

/** What an account may do with a series (once-and-again.md §3.5). Each right includes the previous ones. */
export type SeriesRight = "none" | "administer" | "manage" | "own";

const ranks: readonly SeriesRight[] = ["none", "administer", "manage", "own"];

/** Returns the highest right of an account: as the series' author, as a manager, or as an administrator of its channel. */
async function rightTo(sql: Sql, actor: Account, series: SeriesRow): Promise<SeriesRight> {
  if (series.authorId === actor.id) return "own";
  const { realmId, channelId } = series;
  const [memberships, channels] = await Promise.all([
    loadMemberships(sql, [actor.id]),
    loadChannels(sql, realmId, channelId === null ? [] : [channelId]),
  ]);
  if (memberships.holds(actor, seriesPermissions.canManageGroup, series.canManageGroupId))
    return "manage";
  const channel = channelId === null ? undefined : channels.get(channelId);
  return channel && canAdminister(actor, channel, memberships) ? "administer" : "none";
}

/**
 * Finds a series that the account may see.
 * @throws ApiError `BAD_REQUEST` with status 404 if there is none
 */
export async function requireSeries(sql: Sql, actor: Account, id: number): Promise<SeriesRow> {
  const series = await findSeries(sql, actor.realmId, id);
  if (!series || (await rightTo(sql, actor, series)) === "none") throw noSuchSeries();
  return series;
}

/**
 * Locks a series for a change, with its pending occurrences.
 * @param needed the lowest right that allows the change
 * @throws ApiError `BAD_REQUEST`, with status 404 if the account may not see the series
 */
export async function openSeriesFor(
  tx: Tx,
  actor: Account,
  id: number,
  needed: Exclude<SeriesRight, "none">,
): Promise<OpenSeries & { readonly right: SeriesRight }> {
  // Checks before it locks, so that no row of another organization is locked.
  await requireSeries(tx, actor, id);
  const open = await openSeries(tx, id);
  const right = open ? await rightTo(tx, actor, open.series) : "none";
  if (!open || right === "none") throw noSuchSeries();
  if (ranks.indexOf(right) < ranks.indexOf(needed))
    throw errors.badRequest(
      needed === "own"
        ? "Only the author of a series can do this"
        : "Only the author and the managers of a series can do this",
    );
  return { ...open, right };
}

function noSuchSeries() {
  return errors.notFound404("You have no such series");
}
