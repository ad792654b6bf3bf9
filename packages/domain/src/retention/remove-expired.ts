import { holdGroupGraph, holdOrganization } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { firstAtOnce, messagesAtOnce } from "../messages/removal/batch-size.ts";
import { lockPlaces } from "../messages/removal/places.ts";
import type { RemovalRun } from "../messages/removal/removal-run.ts";
import { removeMessages } from "../messages/removal/remove-messages.ts";
import { expired, keptFor, type Place } from "./expired-places.ts";

/** Direct messages that go at once: each has as many copies as its conversation has members. */
const directAtOnce = 500;

/** What a batch has done. */
export interface ExpiredBatch {
  readonly count: number;
  /** The run that it is part of; undefined where nothing is left. */
  readonly next: RemovalRun | undefined;
}

/**
 * Removes the oldest messages of a place that are kept no longer (channels.md §11). For how long is read again under the
 * locks that its change needs.
 * @param most messages
 */
export async function removeExpired(
  tx: Tx,
  { channelId }: Place,
  run: RemovalRun,
  most: number,
  alone: boolean,
): Promise<ExpiredBatch> {
  const { realmId } = run;
  const [, , places, atOnce] = await Promise.all([
    holdGroupGraph(tx, realmId),
    holdOrganization(tx, realmId),
    lockPlaces(tx, realmId, channelId === null ? [] : [channelId], alone),
    channelId === null ? directAtOnce : messagesAtOnce(tx, channelId),
  ]);
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
