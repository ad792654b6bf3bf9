import { column, type Database, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { retention } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";
import { activeRealms, holdGroupGraph, holdOrganization, loadAfter } from "@carillon/model";
import { dayToDo, leads, noteDay } from "@carillon/scheduling";

import { firstAtOnce, messagesAtOnce } from "../messages/removal/delete-messages.ts";
import {
  lockPlaces,
  removal,
  type RemovalRun,
  removeMessages,
} from "../messages/removal/remove-messages.ts";

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

/** What a sweep works with. */
interface Sweeping {
  readonly db: Database;
  readonly log: Logger;
  /** Fires when it is to come to an end. */
  readonly signal: AbortSignal;
}

/** A place, and the run of removing that goes on there. */
interface Going {
  readonly place: Place;
  run: RemovalRun;
}

/** What a lane has done. */
interface Swept {
  /** Messages that went. */
  removed: number;
  /** Whether none is left of the places that it has taken. */
  complete: boolean;
}

/**
 * Removes what the places of an organization keep no longer, two of them at once as long as nobody sends: the second
 * lane takes another processor of the database's, which belongs to those who send. It ends with the first message that
 * is sent, and leaves its place to the other one.
 */
async function sweepPlaces(
  sweeping: Sweeping,
  realmId: number,
  places: readonly Place[],
): Promise<Swept> {
  const left = places.map((place): Going => {
    return { place, run: { ...place, realmId, cause: "retention", actorId: null } };
  });
  const swept: Swept = { removed: 0, complete: true };
  const { db } = sweeping;
  const before = await lastMessageId(db);
  const nobodySends = async () => (await lastMessageId(db)) === before;
  await Promise.all([
    sweepLane(sweeping, left, 0, swept),
    sweepLane(sweeping, left, 1, swept, nobodySends),
  ]);
  // What the second has left when the first had nothing to do any more.
  await sweepLane(sweeping, left, 0, swept);
  return swept;
}

/** Takes one place after the other. @param goesOn asked before each batch */
async function sweepLane(
  { db, log, signal }: Sweeping,
  left: Going[],
  lane: number,
  swept: Swept,
  goesOn?: () => Promise<boolean>,
): Promise<void> {
  for (let going = left.shift(); going; going = left.shift()) {
    const { place, run } = going;
    try {
      for (let next: RemovalRun | undefined = run; next;) {
        going.run = next;
        if (goesOn && !(await goesOn())) {
          left.unshift(going);
          return;
        }
        const batch = signal.aborted ? undefined : await sweepBatch(db, going, lane);
        if (!batch) {
          swept.complete = false;
          break;
        }
        swept.removed += batch.count;
        next = batch.next;
      }
    } catch (error) {
      // The other channels' messages do not wait for this one's.
      swept.complete = false;
      log.error({ err: error, realmId: run.realmId, ...place }, "messages could not be removed");
    }
  }
}

/** @returns undefined where another process leads the lane */
function sweepBatch(db: Database, { place, run }: Going, lane: number) {
  return removal(db, async (tx, alone) =>
    (await leads(tx, retention, run.realmId, lane))
      ? removeExpired(tx, place, run, retention.bound.batch, alone)
      : undefined,
  );
}

const newest = statement({
  name: "retention-newest-message",
  text: "SELECT last_value AS id FROM messages_id_seq",
  row: { id: column.bigint },
});

async function lastMessageId(db: Database): Promise<number | undefined> {
  const [row] = await db.rows(newest);
  return row?.id;
}

/** Direct messages that go at once: each has as many copies as its conversation has members. */
const directAtOnce = 500;

/** What a batch has done. */
interface ExpiredBatch {
  readonly count: number;
  /** The run that it is part of; undefined where nothing is left. */
  readonly next: RemovalRun | undefined;
}

/**
 * Removes the oldest messages of a place that are kept no longer (channels.md §11). For how long is read again under the
 * locks that its change needs.
 * @param most messages
 */
async function removeExpired(
  tx: Tx,
  { channelId }: Place,
  run: RemovalRun,
  most: number,
  alone: boolean,
): Promise<ExpiredBatch> {
  const { realmId } = run;
  const { places, atOnce } = await loadAfter(
    [holdGroupGraph(tx, realmId), holdOrganization(tx, realmId)],
    {
      places: lockPlaces(tx, realmId, channelId === null ? [] : [channelId], alone),
      atOnce: channelId === null ? directAtOnce : messagesAtOnce(tx, channelId),
    },
  );
  const size = Math.min(most, atOnce);
  // One more tells whether any is left.
  const found =
    channelId === null
      ? await lockIds(tx, oldestDirect, [realmId, size + 1])
      : await lockIds(tx, oldestOfChannel, [realmId, size + 1, channelId]);
  const ids = await firstAtOnce(tx, found.slice(0, size));
  const { run: now, count, events } = await removeMessages(tx, run, places, ids);
  emit(tx, realmId, events);
  return { count, next: found.length > ids.length ? now : undefined };
}

/** Intervals are compared, since a date so many days ago may be one that PostgreSQL does not have. */
const expired = (message: string, days: string) =>
  `now() - ${message}.sent_at > make_interval(days => ${days})`;

/** Of the oldest messages, those that are old enough: no more are looked at, however many there are. */
const oldest = (name: string, from: string, days: string) =>
  statement({
    name,
    text: `WITH oldest AS (${from} ORDER BY m.id LIMIT $2),
      kept AS (SELECT ${days} AS days)
    SELECT m.id FROM messages m, kept
    WHERE m.id = ANY(ARRAY(SELECT id FROM oldest)) AND m.realm_id = $1 AND kept.days > 0 AND ${expired("m", "kept.days")}
    ORDER BY m.id FOR NO KEY UPDATE OF m`,
    row: { id: column.bigint },
  });

/** Days for which messages are kept, of the channel `c` in the organization `r`; null or -1 for ever. */
const keptFor = "coalesce(c.message_retention_days, r.message_retention_days)";

const oldestOfChannel = oldest(
  "retention-oldest",
  "SELECT m.id FROM messages m WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $3)",
  `(SELECT ${keptFor} FROM channels c JOIN realms r ON r.id = c.realm_id WHERE r.id = $1 AND c.id = $3)`,
);

const oldestDirect = oldest(
  "retention-oldest-direct",
  "SELECT m.id FROM messages m WHERE m.realm_id = $1 AND NOT m.is_channel",
  "(SELECT message_retention_days FROM realms WHERE id = $1)",
);

async function lockIds(
  tx: Tx,
  found: typeof oldestDirect,
  values: readonly unknown[],
): Promise<number[]> {
  const rows = await tx.lock({ name: "messages" }, found, values);
  return rows.map(({ id }) => id);
}

/** Where messages are that are kept no longer. */
interface Place {
  /** Null for the organization's direct messages. */
  readonly channelId: number | null;
}

/**
 * Messages rise with time: of each place the one with the lowest id tells, however many there are. That is one look-up a
 * channel, and one for all direct messages.
 */
export const expiredPlaces = statement({
  name: "retention-places",
  text: `SELECT c.id AS "channelId" FROM realms r JOIN channels c ON c.realm_id = r.id
    JOIN recipients p ON p.channel_id = c.id CROSS JOIN LATERAL (
      SELECT sent_at FROM messages WHERE recipient_id = p.id ORDER BY id LIMIT 1) m
    WHERE r.id = $1 AND ${keptFor} > 0 AND ${expired("m", keptFor)}
    UNION ALL
    SELECT NULL FROM realms r CROSS JOIN LATERAL (
      SELECT sent_at FROM messages WHERE realm_id = r.id AND NOT is_channel ORDER BY id LIMIT 1) m
    WHERE r.id = $1 AND r.message_retention_days > 0 AND ${expired("m", "r.message_retention_days")}
    ORDER BY 1`,
  row: { channelId: column.int.orNull() },
});

/** Where the organization has messages that are kept no longer; archived channels too. */
function loadExpiredPlaces(sql: Sql, realmId: number): Promise<readonly Place[]> {
  return sql.rows(expiredPlaces, [realmId]);
}
