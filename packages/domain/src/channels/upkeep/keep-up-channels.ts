import { dayToDo, leads, noteDay } from "@carillon/scheduling";
import type { Database, Tx } from "@carillon/db";
import { channelUpkeep } from "@carillon/jobs";
import { activeRealms } from "@carillon/model";

import { endActivity } from "./end-activity.ts";
import { forgetTraffic, refreshTraffic } from "./refresh-traffic.ts";

/** Channels of one event each, to everybody who knows them. */
const quietAtOnce = 50;

/**
 * Notes once a day which channels of each organization are quiet, and how much is sent to each (channels.md §11), in
 * transactions in each of which one process at a time works in an organization. What is broken off goes on at the next
 * call.
 * @param signal fires when it is to come to an end
 * @returns for how many organizations the day is done
 */
export async function keepUpChannels(db: Database, signal: AbortSignal): Promise<number> {
  const realms = await db.rows(activeRealms);
  let done = 0;
  for (const { id } of realms) {
    if (signal.aborted) break;
    if (await keepUp(db, id, signal)) done++;
  }
  return done;
}

async function keepUp(db: Database, realmId: number, signal: AbortSignal): Promise<boolean> {
  /** @returns undefined where another process leads, or the day is done */
  const leading = <T>(work: (tx: Tx, day: string) => Promise<T>): Promise<T | undefined> =>
    db.transaction(async (tx) => {
      if (!(await leads(tx, channelUpkeep, realmId))) return undefined;
      const day = await dayToDo(tx, channelUpkeep, realmId);
      return day === undefined ? undefined : work(tx, day);
    });
  for (let quiet: number | undefined = quietAtOnce; quiet === quietAtOnce;) {
    if (signal.aborted) return false;
    quiet = await leading((tx) => endActivity(tx, realmId, quietAtOnce));
    if (quiet === undefined) return false;
  }
  for (let after: number | undefined = 0; after !== undefined;) {
    if (signal.aborted) return false;
    const from: number = after;
    after = await leading((tx) => refreshTraffic(tx, realmId, from, channelUpkeep.bound.batch));
  }
  const noted = await leading(async (tx, day) => {
    await forgetTraffic(tx, realmId);
    await noteDay(tx, channelUpkeep, realmId, day);
    return true;
  });
  return noted ?? false;
}
