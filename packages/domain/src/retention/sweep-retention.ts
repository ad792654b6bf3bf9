import { dayToDo, leads, noteDay, type Database } from "@carillon/db";
import { retention } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";
import { activeRealms } from "@carillon/model";

import { removal } from "../messages/removal/removal.ts";
import type { RemovalRun } from "../messages/removal/removal-run.ts";
import { loadExpiredPlaces, type Place } from "./expired-places.ts";
import { removeExpired } from "./remove-expired.ts";

/** What a sweep works with. */
export interface Sweeping {
  readonly db: Database;
  readonly log: Logger;
  /** Fires when it is to come to an end. */
  readonly signal: AbortSignal;
}

/**
 * Removes what organizations keep no longer, once a day (channels.md §11): in batches of one transaction each, in which
 * one process at a time works in an organization. What is broken off goes on at the next call.
 * @returns how many messages went
 */
export async function sweepRetention(sweeping: Sweeping): Promise<number> {
  const { db, signal } = sweeping;
  const realms = await db.rows(activeRealms);
  let removed = 0;
  for (const { id } of realms) {
    if (signal.aborted) break;
    removed += await sweepOrganization(sweeping, id);
  }
  return removed;
}

async function sweepOrganization(sweeping: Sweeping, realmId: number): Promise<number> {
  const { db, log } = sweeping;
  const found = await db.transaction(async (tx) => {
    if (!(await leads(tx, retention, realmId))) return undefined;
    const day = await dayToDo(tx, retention, realmId);
    return day && { day, places: await loadExpiredPlaces(tx, realmId) };
  });
  if (!found) return 0;
  let removed = 0;
  let complete = true;
  for (const place of found.places) {
    try {
      const { count, ended } = await sweepPlace(sweeping, realmId, place);
      removed += count;
      complete &&= ended;
    } catch (error) {
      // The other channels' messages do not wait for this one's.
      complete = false;
      log.error({ err: error, realmId, ...place }, "messages could not be removed");
    }
  }
  if (complete)
    await db.transaction(async (tx) => {
      if (await leads(tx, retention, realmId)) await noteDay(tx, retention, realmId, found.day);
    });
  return removed;
}

/** @returns how many messages went, and whether none is left */
async function sweepPlace(
  { db, signal }: Sweeping,
  realmId: number,
  place: Place,
): Promise<{ count: number; ended: boolean }> {
  let run: RemovalRun = { ...place, realmId, cause: "retention", actorId: null };
  let removed = 0;
  while (!signal.aborted) {
    const going = run;
    const batch = await removal(db, async (tx, alone) =>
      (await leads(tx, retention, realmId))
        ? removeExpired(tx, place, going, retention.bound.batch, alone)
        : undefined,
    );
    if (!batch) break;
    removed += batch.count;
    if (!batch.next) return { count: removed, ended: true };
    run = batch.next;
  }
  return { count: removed, ended: false };
}
