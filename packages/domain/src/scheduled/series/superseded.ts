import type { Realm } from "@carillon/model";

import type { DueRow } from "../due-row.ts";
import { planFollowing, withSchedules } from "./schedule.ts";

/**
 * Seconds; less than the shortest time between two occurrences, which are at least one local day apart. A local day has
 * at least 23 hours.
 */
const minSecondsBetween = 20 * 3_600;

/**
 * Finds the occurrences that are not sent because a later one of their series is due too (once-and-again.md §3.4). This
 * happens only in series whose grace period is almost a day or longer.
 */
export async function findSuperseded(realm: Realm, rows: readonly DueRow[]): Promise<Set<DueRow>> {
  const late = rows.flatMap((row) => {
    const { series, detached, deliverAt } = row;
    return series && !detached && realm.now - deliverAt >= minSecondsBetween
      ? [{ row, series }]
      : [];
  });
  const isSuperseded = await withSchedules(
    late.map(({ series }) => series),
    (schedule, i) => {
      const { next } = planFollowing(schedule, late[i]!.row.occurrence!, realm.now, Infinity);
      return next !== undefined && next.instant <= realm.now;
    },
  );
  return new Set(late.flatMap(({ row }, i) => (isSuperseded[i] === true ? [row] : [])));
}
