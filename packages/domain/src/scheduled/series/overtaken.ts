import type { Realm } from "@carillon/model";

import type { DueRow } from "../claim.ts";
import { planFollowing, withSchedules } from "./schedule.ts";

/** Seconds after which a later occurrence may be due: occurrences are a day apart, of 23 hours at least. */
const leastDistance = 20 * 3_600;

/**
 * Finds the occurrences that are not sent because a later one of their series is due, too (once-and-again.md §3.4): only a
 * series that may be late by almost a day has them.
 */
export async function findOvertaken(realm: Realm, rows: readonly DueRow[]): Promise<Set<DueRow>> {
  const late = rows.flatMap((row) => {
    const { series, detached, deliverAt } = row;
    return series && !detached && realm.now - deliverAt >= leastDistance ? [{ row, series }] : [];
  });
  const isOvertaken = await withSchedules(
    late.map(({ series }) => series),
    (schedule, i) => {
      const { next } = planFollowing(schedule, late[i]!.row.occurrence!, realm.now, Infinity);
      return next !== undefined && next.instant <= realm.now;
    },
  );
  return new Set(late.flatMap(({ row }, i) => (isOvertaken[i] === true ? [row] : [])));
}
