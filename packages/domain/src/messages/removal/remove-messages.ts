import { messagesDeleted, type NewEvent } from "@carillon/contract";
import { notNull, statement, type TransactionOptions, type Transacts, type Tx } from "@carillon/db";
import {
  lockAudiences,
  type Channel,
  type ContentAudiences,
  hasProtectedHistory,
  lockAudiencesShared,
  lockGroupGraphShared,
  loadChannels,
  loadContentAudiences,
  loadMetadataAudiences,
  lockChannelRows,
  loadAfter,
} from "@carillon/model";

import { channelPropertyEvent } from "../../channel-events/channel-events.ts";
import { archivedClaims } from "../../files/claims.ts";
import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { readEvents, unstarredEvents } from "../flags/change-flag.ts";
import { archiveMessages, type RemovedTopicMessages, type Readers } from "./archive-messages.ts";

/** Maximum messages of one event: the limit of ids in a queue's event (events.md §6). */
const maxPerEvent = 1_000;

/** Maximum messages of one call, because the messages of a topic share one event. */
export const maxRemoved = maxPerEvent;

interface RemovedMessages {
  /** The run that the batch belongs to, with its id. */
  readonly run: RemovalRun;
  readonly count: number;
  /** Events for the transaction's single `emit`. */
  readonly events: readonly NewEvent[];
}

/**
 * Removes messages; every removal uses this function. Moves them to the archive with all copies, updates what refers to
 * them, and returns the events. Uses a fixed number of statements. Visibility policies of topics, and the delivery
 * state of scheduled messages, stay.
 * @param places from `lockPlaces`, all channels that the messages are in
 * @param ids of messages that the transaction has selected and locked after the places; at most {@link maxRemoved}
 * @throws ConcurrentSends see `removal`
 */
export async function removeMessages(
  tx: Tx,
  run: RemovalRun,
  places: Places,
  ids: readonly number[],
): Promise<RemovedMessages> {
  if (ids.length === 0) return { run, count: 0, events: [] };
  if (ids.length > maxRemoved) throw new RangeError(`at most ${maxRemoved} messages at once`);
  const { realmId } = run;
  const before = Promise.all([
    newFirsts(tx, places, ids),
    isRecentlyRecorded(run) ? run : recordRun(tx, run),
  ]);
  // A run that already has an id need not wait until its row is written again.
  const id = run.id ?? (await before)[1].id;
  const moved = archiveMessages(tx, { realmId, removalId: id }, ids, readersOf(places));
  const [[firsts, recorded], archived] = await Promise.all([before, moved]);
  await recordPushRemovals(tx, realmId, archived.pushed);
  const events = [
    ...deletionEvents(places, archived.topics),
    // Accounts that have left the channel get no deletion event, but their clients must learn that the messages are no
    // longer unread or starred: the job that marks messages read after unsubscribing (channels.md §11) no longer finds
    // them.
    ...readEvents(archived.unseen.map(({ userId, unread }) => ({ userId, ids: unread }))),
    ...unstarredEvents(archived.unseen.map(({ userId, starred }) => ({ userId, ids: starred }))),
    ...(await storeFirsts(tx, realmId, firsts)),
    ...(archived.hadAttachments ? await archivedClaims(tx, realmId, ids) : []),
  ];
  return { run: recorded, count: archived.count, events };
}

function readersOf({ channels, readers }: Places): Readers {
  const all = [...channels];
  const limited = all.flatMap(([recipientId, { id }]) => {
    const readerIds = readers.get(id);
    return readerIds ? [{ recipientId, readerIds }] : [];
  });
  return {
    ofCopies: all
      .filter(([, channel]) => hasProtectedHistory(channel))
      .map(([recipientId]) => recipientId),
    limited: limited.map(({ recipientId }) => recipientId),
    readerIds: limited.map(({ readerIds }) => readerIds),
  };
}

/** Thrown if a message that is being sent, and is not visible yet, may become the channel's first message. */
class ConcurrentSends extends Error {}

/**
 * Runs a transaction that removes messages. Others can send to the channels meanwhile. If a message being sent may
 * become a channel's first message (channels.md §1), the transaction starts again and blocks sending.
 * @param work receives whether it must block sending to the channels
 * @param options of each transaction
 */
export async function removal<T>(
  db: Transacts<NoInfer<T>>,
  work: (tx: Tx, blockSends: boolean) => Promise<T>,
  options: Pick<TransactionOptions, "reusesPlans"> = {},
): Promise<T> {
  try {
    return await db.transaction((tx) => work(tx, false), options);
  } catch (error) {
    if (!(error instanceof ConcurrentSends)) throw error;
    return db.transaction((tx) => work(tx, true), options);
  }
}

/**
 * Why messages are removed: retention period, deleted topic, deleted message, a notice whose change was undone, or a
 * deactivated sender.
 */
type RemovalCause = "retention" | "topic" | "message" | "undone-notice" | "deactivation";

/** A run of removals: one or more batches with the same cause, recorded as one row of `message_removals`. */
export interface RemovalRun {
  readonly realmId: number;
  /** The channel of all its messages; null for direct messages and for several channels. */
  readonly channelId: number | null;
  readonly cause: RemovalCause;
  /** The account that requested it; null for scheduled runs. */
  readonly actorId: number | null;
  /** Id of its row, after its first batch has committed. */
  readonly id?: number | undefined;
  /** When its row was last written, in `performance.now()` milliseconds. */
  readonly recordedAt?: number | undefined;
}

/** A run that has a row. */
interface RecordedRun extends RemovalRun {
  readonly id: number;
}

/** Milliseconds after which the row is written again. */
const recordEveryMs = 60_000;

const record = statement({
  name: "removal-note",
  text: `INSERT INTO message_removals (id, realm_id, channel_id, cause, actor_id)
    VALUES (coalesce($1::bigint, nextval('message_removals_id_seq')), $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE SET ended_at = now() RETURNING id`,
});

/** Whether the run's row was written recently. The time to restore messages counts from the run's end. */
function isRecentlyRecorded(run: RemovalRun): run is RecordedRun {
  const { id, recordedAt } = run;
  return (
    id !== undefined && recordedAt !== undefined && performance.now() - recordedAt < recordEveryMs
  );
}

/**
 * Inserts the row of a new run, or updates the end of a run that continues.
 * @returns the run for the next batch, valid once the transaction has committed
 */
async function recordRun(tx: Tx, run: RemovalRun): Promise<RecordedRun> {
  const values = [run.id ?? null, run.realmId, run.channelId, run.cause, run.actorId];
  const row = await tx.first(record, values);
  if (!row) throw new Error("the row of a removal run was not written");
  return { ...run, id: row.id, recordedAt: performance.now() };
}

/**
 * Makes the events of removed messages (events.md §4), one for each topic or conversation and set of receivers.
 * Receivers are the accounts that could see the messages: with shared history all readers of the channel, with
 * protected history and direct messages those readers that had a copy.
 */
function deletionEvents({ channels, readers }: Places, removed: readonly RemovedTopicMessages[]) {
  return removed.flatMap(({ recipientId, isChannel, topic, holderIds, ids }): NewEvent[] => {
    const message_ids = [...ids];
    if (!isChannel)
      return [messagesDeleted({ message_ids, message_type: "private" }, { audience: holderIds })];
    const channel = channels.get(recipientId);
    if (!channel) throw new Error("removed messages of a channel that was not locked");
    const audience = seenBy(readers.get(channel.id), holderIds);
    if (audience?.length === 0) return [];
    const place = { message_type: "stream", stream_id: channel.id, topic } as const;
    return [messagesDeleted({ message_ids, ...place }, { audience })];
  });
}

/** Makes the events for accounts that lose access to messages of a topic, in as few events as possible. */
export function lostAccessEvents(
  { channelId, topic }: { readonly channelId: number; readonly topic: string },
  ids: readonly number[],
  audience: readonly number[],
): NewEvent[] {
  if (audience.length === 0) return [];
  const starts = ids.flatMap((_, i) => (i % maxPerEvent === 0 ? [i] : []));
  return starts.map((start) =>
    messagesDeleted(
      {
        message_ids: ids.slice(start, start + maxPerEvent),
        message_type: "stream",
        stream_id: channelId,
        topic,
      },
      { audience },
    ),
  );
}

/**
 * Returns the accounts that get the event of a removal: accounts with a copy that can read the channel. Null means all
 * active accounts.
 */
function seenBy(
  readerIds: readonly number[] | undefined,
  holderIds: readonly number[] | null,
): readonly number[] | null {
  if (!holderIds) return readerIds ?? null;
  if (!readerIds) return holderIds;
  const canRead = new Set(readerIds);
  return holderIds.filter((id) => canRead.has(id));
}

/** A channel whose first message changes, and its new first message. */
export interface NewFirst {
  readonly channel: Channel;
  /** Null if no message is left. */
  readonly messageId: number | null;
}

/**
 * `settled` tells whether a message is older than any transaction can be: a message being sent becomes visible with its
 * commit, and may have a lower id than a visible one. No transaction lasts longer than a minute.
 */
const remaining = statement({
  name: "first-messages-left",
  text: `SELECT r.id AS "recipientId", first.id AS "messageId", first.settled
    FROM unnest($1::int[]) AS r (id) LEFT JOIN LATERAL (
      SELECT m.id, m.sent_at < now() - interval '5 minutes' AS settled FROM messages m WHERE m.id = (
        SELECT id FROM messages WHERE recipient_id = r.id AND id NOT IN (SELECT unnest($2::bigint[])) ORDER BY id LIMIT 1)
    ) first ON true`,
  overrides: { recipientId: notNull },
});

/**
 * Finds the new first message of each channel whose first message is removed.
 * @param existing the removed messages whose rows still exist
 * @throws ConcurrentSends if the answer depends on messages being sent, unless the transaction blocks sending
 */
export async function newFirsts(
  tx: Tx,
  { channels, blockSends }: Places,
  ids: readonly number[],
  existing = ids,
): Promise<NewFirst[]> {
  const going = new Set(ids);
  const losing = [...channels].filter(
    ([, { firstMessageId }]) => firstMessageId !== null && going.has(firstMessageId),
  );
  if (losing.length === 0) return [];
  const left = await tx.rows(remaining, [losing.map(([recipientId]) => recipientId), existing]);
  if (!blockSends && left.some(({ settled }) => !settled)) throw new ConcurrentSends();
  return left.flatMap(({ recipientId, messageId }) => {
    const channel = channels.get(recipientId);
    return channel ? [{ channel, messageId }] : [];
  });
}

const store = statement({
  name: "first-messages-store",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET first_message_id = f.message_id
    FROM held JOIN unnest($1::int[], $2::bigint[]) AS f (channel_id, message_id) ON f.channel_id = held.id
    WHERE c.id = held.id`,
});

/** Stores the channels' first messages, and returns the events for all accounts that can see the channels. */
export async function storeFirsts(
  tx: Tx,
  realmId: number,
  firsts: readonly NewFirst[],
): Promise<NewEvent[]> {
  if (firsts.length === 0) return [];
  const channelIds = firsts.map(({ channel }) => channel.id);
  const { audiences } = await loadAfter(
    tx.lock({ name: "channels", keys: channelIds }, store, [
      channelIds,
      firsts.map(({ messageId }) => messageId),
    ]),
    {
      audiences: loadMetadataAudiences(tx, realmId, channelIds),
    },
  );
  return firsts.map(({ channel, messageId }) =>
    channelPropertyEvent(channel, "first_message_id", messageId, [
      ...(audiences.get(channel.id) ?? []),
    ]),
  );
}

/** The locked channels of messages to remove, and their readers. */
export interface Places {
  /** By `messages.recipient_id`. */
  readonly channels: ReadonlyMap<number, Channel>;
  readonly readers: ContentAudiences;
  /** Whether sending to them is blocked. */
  readonly blockSends: boolean;
}

const recipients = statement({
  name: "recipients-of-channels",
  text: `SELECT id, channel_id AS "channelId" FROM recipients WHERE channel_id = ANY($1::int[])`,
  overrides: { channelId: notNull },
});

/**
 * Locks the channels and their audiences until the transaction ends, so that the receivers of a removal's events are
 * the accounts that could see the messages. Must precede selecting and locking the messages.
 * @param channelIds channels of the messages; empty for direct messages
 * @param blockSends whether to block sending to them, see {@link removal}
 */
export async function lockPlaces(
  tx: Tx,
  realmId: number,
  channelIds: readonly number[],
  blockSends: boolean,
): Promise<Places> {
  const { channels, rows, readers } = await loadAfter(
    [
      lockGroupGraphShared(tx, realmId),
      blockSends ? lockAudiences(tx, channelIds) : lockAudiencesShared(tx, channelIds),
      lockChannelRows(tx, channelIds),
    ],
    {
      channels: loadChannels(tx, realmId, channelIds),
      rows: tx.rows(recipients, [channelIds]),
      readers: loadContentAudiences(tx, realmId, channelIds),
    },
  );
  const byRecipient = rows.flatMap(({ id, channelId }) => {
    const channel = channels.get(channelId);
    return channel ? [[id, channel] as const] : [];
  });
  return { channels: new Map(byRecipient), readers, blockSends };
}
