import { type Database, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { channelUpkeep } from "@carillon/jobs";
import {
  activeRealms,
  lockGroupGraphShared,
  loadChannels,
  loadMetadataAudiences,
  lockChannels,
} from "@carillon/model";
import { dayToDo, inEachOrganization, leads, noteDay } from "@carillon/scheduling";

import { channelPropertyEvent } from "../channel-events/channel-events.ts";
import { forgetTraffic, refreshTraffic } from "./traffic.ts";

/** Channels of one transaction: each makes an event for all accounts that can see it. */
const quietAtOnce = 50;

/**
 * Does the daily upkeep of each organization's channels: marks quiet channels and updates the weekly traffic
 * (channels.md §11). A lock ensures that only one process at a time works on an organization. A later call continues
 * after an interruption.
 * @param signal aborts the work
 * @returns for how many organizations the day's work was finished
 * @throws AggregateError for the organizations that failed, after the others are done
 */
export async function keepUpChannels(db: Database, signal: AbortSignal): Promise<number> {
  const realms = await db.rows(activeRealms);
  return inEachOrganization(realms, signal, async (id) => ((await keepUp(db, id, signal)) ? 1 : 0));
}

async function keepUp(db: Database, realmId: number, signal: AbortSignal): Promise<boolean> {
  /**
   * Runs `work` for the day that is to be processed, in one transaction.
   * @returns undefined if another process holds the lock, or the day is already processed
   */
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
    const batch = await leading(async (tx) => ({
      next: await refreshTraffic(tx, realmId, from, channelUpkeep.bound.batch),
    }));
    if (batch === undefined) return false;
    after = batch.next;
  }
  const noted = await leading(async (tx, day) => {
    await forgetTraffic(tx, realmId);
    await noteDay(tx, channelUpkeep, realmId, day);
    return true;
  });
  return noted ?? false;
}

/** Days without a message after which a channel counts as quiet (channels.md §1). */
const quietAfter = 180;

/** Reads only the newest message of each channel, however many there are. */
export const quietChannels = statement({
  name: "quiet-channels",
  text: `SELECT c.id FROM channels c JOIN recipients r ON r.channel_id = c.id
    LEFT JOIN LATERAL (
      SELECT sent_at FROM messages WHERE recipient_id = r.id ORDER BY id DESC LIMIT 1) newest ON true
    WHERE c.realm_id = $1 AND c.is_recently_active AND NOT c.is_archived
      AND ($3::int[] IS NULL OR c.id = ANY($3))
      AND greatest(c.date_created, newest.sent_at) < now() - interval '${quietAfter} days'
    ORDER BY c.id LIMIT $2`,
});

async function quietOnes(
  sql: Sql,
  realmId: number,
  limit: number,
  among?: readonly number[],
): Promise<number[]> {
  const rows = await sql.rows(quietChannels, [realmId, limit, among ?? null]);
  return rows.map(({ id }) => id);
}

const end = statement({
  name: "channels-end-activity",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET is_recently_active = false FROM held WHERE c.id = held.id`,
});

/**
 * Marks channels as no longer active, and sends the events. Serialized with concurrent sends to these channels by their
 * locks.
 * @param limit maximum number of channels
 * @returns how many candidates there were; if it equals `limit`, there may be more
 */
async function endActivity(tx: Tx, realmId: number, limit: number): Promise<number> {
  await lockGroupGraphShared(tx, realmId);
  const found = await quietOnes(tx, realmId, limit);
  if (found.length === 0) return 0;
  await lockChannels(tx, found);
  const ids = await quietOnes(tx, realmId, limit, found);
  await tx.lock({ name: "channels", keys: ids }, end, [ids]);
  const [channels, audiences] = await Promise.all([
    loadChannels(tx, realmId, ids),
    loadMetadataAudiences(tx, realmId, ids),
  ]);
  const events = ids.flatMap((id) => {
    const channel = channels.get(id);
    const audience = [...(audiences.get(id) ?? [])];
    return channel ? [channelPropertyEvent(channel, "is_recently_active", false, audience)] : [];
  });
  emit(tx, realmId, events);
  return found.length;
}
