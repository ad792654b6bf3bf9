import { dayToDo, leads, noteDay } from "@carillon/scheduling";
import { retention } from "@carillon/jobs";
import { activeRealms } from "@carillon/model";

import { loadExpiredPlaces } from "./expired-places.ts";
import { sweepPlaces, type Sweeping } from "./sweep-places.ts";

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
  const { db } = sweeping;
  const found = await db.transaction(async (tx) => {
    if (!(await leads(tx, retention, realmId))) return undefined;
    const day = await dayToDo(tx, retention, realmId);
    return day && { day, places: await loadExpiredPlaces(tx, realmId) };
  });
  if (!found) return 0;
  const { removed, complete } = await sweepPlaces(sweeping, realmId, found.places);
  if (complete)
    await db.transaction(async (tx) => {
      if (await leads(tx, retention, realmId)) await noteDay(tx, retention, realmId, found.day);
    });
  return removed;
}
