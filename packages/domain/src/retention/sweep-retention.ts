import { type Database, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { retention } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";
import {
  activeRealms,
  lockGroupGraphShared,
  lockOrganizationShared,
  loadAfter,
} from "@carillon/model";
import { dayToDo, inEachOrganization, leads, noteDay } from "@carillon/scheduling";

import { firstThatFit, maxMessagesOfChannel } from "../messages/removal/removal-size.ts";
import { lockChannelsAndAudiences } from "../messages/removal/locked-channels.ts";
import type { RemovalRun } from "../messages/removal/removal-run.ts";
import { removeMessages } from "../messages/removal/remove-messages.ts";
import { runRemoval } from "../messages/removal/run-removal.ts";

/**
 * Removes the messages whose retention period is over, once a day (channels.md §11): in batches of one transaction
 * each. A lock ensures that one process at a time works on an organization. A later call continues after an
 * interruption.
 * @returns how many messages were removed
 * @throws AggregateError for the organizations that failed, after the others are done
 */
export async function sweepRetention(sweeping: Sweeping): Promise<number> {
  const { db, signal } = sweeping;
  return inEachOrganization(await db.rows(activeRealms), signal, (id) =>
    sweepOrganization(sweeping, id),
  );
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

/** What a sweep needs. */
interface Sweeping {
  readonly db: Database;
  readonly log: Logger;
  /** Aborts the sweep. */
  readonly signal: AbortSignal;
}

/** A place, and its current run of removals. */
interface PlaceInProgress {
  readonly place: Place;
  run: RemovalRun;
}

/** Result of both loops. */
interface Swept {
  /** Number of removed messages. */
  removed: number;
  /** Whether all places are finished. */
  complete: boolean;
}

/**
 * Removes the expired messages of an organization's places, in two concurrent loops while no message is sent. The
 * second loop uses another CPU of the database server. It ends when a message is sent, so that senders get that CPU,
 * and leaves its place to the first loop.
 */
async function sweepPlaces(
  sweeping: Sweeping,
  realmId: number,
  places: readonly Place[],
): Promise<Swept> {
  const left = places.map((place): PlaceInProgress => {
    return { place, run: { ...place, realmId, cause: "retention", actorId: null } };
  });
  const swept: Swept = { removed: 0, complete: true };
  const { db } = sweeping;
  const before = await lastMessageId(db);
  const noMessageSent = async () => (await lastMessageId(db)) === before;
  await Promise.all([
    sweepLoop(sweeping, left, 0, swept),
    sweepLoop(sweeping, left, 1, swept, noMessageSent),
  ]);
  // Handles the place that the second loop left after the first loop had ended.
  await sweepLoop(sweeping, left, 0, swept);
  return swept;
}

/** Handles the places one by one. @param mayContinue called before each batch */
async function sweepLoop(
  { db, log, signal }: Sweeping,
  left: PlaceInProgress[],
  loop: number,
  swept: Swept,
  mayContinue?: () => Promise<boolean>,
): Promise<void> {
  for (let current = left.shift(); current; current = left.shift()) {
    const { place, run } = current;
    try {
      for (let next: RemovalRun | undefined = run; next;) {
        current.run = next;
        if (mayContinue && !(await mayContinue())) {
          left.unshift(current);
          return;
        }
        const batch = signal.aborted ? undefined : await sweepBatch(db, current, loop);
        if (!batch) {
          swept.complete = false;
          break;
        }
        swept.removed += batch.count;
        next = batch.next;
      }
    } catch (error) {
      // One channel's failure does not stop the other channels.
      swept.complete = false;
      log.error({ err: error, realmId: run.realmId, ...place }, "messages could not be removed");
    }
  }
}

/** Removes a batch of expired messages at the place; undefined if another process holds the loop's lock. */
function sweepBatch(db: Database, { place, run }: PlaceInProgress, loop: number) {
  return runRemoval(db, async (tx, blockSends) =>
    (await leads(tx, retention, run.realmId, loop))
      ? removeExpired(tx, place, run, retention.bound.batch, blockSends)
      : undefined,
  );
}

const newest = statement({
  name: "retention-newest-message",
  text: "SELECT last_value AS id FROM messages_id_seq",
});

async function lastMessageId(db: Database): Promise<number | undefined> {
  const [row] = await db.rows(newest);
  return row?.id;
}

/** Direct messages of one batch: each has as many copies as its conversation has members. */
const directAtOnce = 500;

/** Result of a batch. */
interface ExpiredBatch {
  readonly count: number;
  /** The run for the next batch; undefined if nothing is left. */
  readonly next: RemovalRun | undefined;
}

/**
 * Removes the oldest expired messages of a place (channels.md §11). Reads the retention period again under the locks
 * that changing it requires.
 * @param limit maximum number of messages
 */
async function removeExpired(
  tx: Tx,
  { channelId }: Place,
  run: RemovalRun,
  limit: number,
  blockSends: boolean,
): Promise<ExpiredBatch> {
  const { realmId } = run;
  const { lockedChannels, atOnce } = await loadAfter(
    [lockGroupGraphShared(tx, realmId), lockOrganizationShared(tx, realmId)],
    {
      lockedChannels: lockChannelsAndAudiences(
        tx,
        realmId,
        channelId === null ? [] : [channelId],
        blockSends,
      ),
      atOnce: channelId === null ? directAtOnce : maxMessagesOfChannel(tx, channelId),
    },
  );
  const size = Math.min(limit, atOnce);
  // One more row tells whether any are left.
  const found =
    channelId === null
      ? await lockIds(tx, oldestDirect, [realmId, size + 1])
      : await lockIds(tx, oldestOfChannel, [realmId, size + 1, channelId]);
  const ids = await firstThatFit(tx, found.slice(0, size));
  const { run: now, count, events } = await removeMessages(tx, run, lockedChannels, ids);
  emit(tx, realmId, events);
  return { count, next: found.length > ids.length ? now : undefined };
}

/** Compares intervals, because the date that many days ago may be outside PostgreSQL's range. */
const expired = (message: string, days: string) =>
  `now() - ${message}.sent_at > make_interval(days => ${days})`;

/** Examines the oldest messages up to the limit, and selects the expired ones among them. */
const oldest = (name: "retention-oldest" | "retention-oldest-direct", from: string, days: string) =>
  statement({
    name,
    text: `WITH oldest AS (${from} ORDER BY m.id LIMIT $2),
      kept AS (SELECT ${days} AS days)
    SELECT m.id FROM messages m, kept
    WHERE m.id = ANY(ARRAY(SELECT id FROM oldest)) AND m.realm_id = $1 AND kept.days > 0 AND ${expired("m", "kept.days")}
    ORDER BY m.id FOR NO KEY UPDATE OF m`,
  });

/** SQL: retention days of the channel `c` in the organization `r`; null or -1 for unlimited. */
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

/** A channel, or the direct messages, with expired messages. */
interface Place {
  /** Null for the organization's direct messages. */
  readonly channelId: number | null;
}

/**
 * Checks only the message with the lowest id of each place, because ids rise with time: one lookup for each channel,
 * and one for all direct messages.
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
});

/** Loads the organization's places with expired messages, including archived channels. */
function loadExpiredPlaces(sql: Sql, realmId: number): Promise<readonly Place[]> {
  return sql.rows(expiredPlaces, [realmId]);
}
