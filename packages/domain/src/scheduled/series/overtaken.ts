import type { Realm } from "@carillon/model";

import type { DueRow } from "../claim.ts";
import { planFollowing, scheduleOf } from "./schedule.ts";

/** Seconds after which a later occurrence may be due: occurrences are a day apart, of 23 hours at least. */
const leastDistance = 20 * 3_600;

/**
 * Finds the occurrences that are not sent because a later one of their series is due, too (once-and-again.md §3.4): only a
 * series that may be late by almost a day has them.
 */
export async function findOvertaken(realm: Realm, rows: readonly DueRow[]): Promise<Set<DueRow>> {
  const overtaken = new Set<DueRow>();
  for (const row of rows) {
    const { series, detached, occurrence, deliverAt } = row;
    if (!series || detached || realm.now - deliverAt < leastDistance) continue;
    // What no longer computes has no later occurrence.
    const schedule = await scheduleOf(series).catch(() => undefined);
    const next = schedule && planFollowing(schedule, occurrence!, realm.now, Infinity).next;
    if (next && next.instant <= realm.now) overtaken.add(row);
  }
  return overtaken;
}
