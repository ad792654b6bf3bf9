import { messagesDeleted, type NewEvent } from "@carillon/contract";
import { column, type Database, statement, type Tx } from "@carillon/db";
import {
  changeAudiences,
  type Channel,
  type ContentAudiences,
  hasProtectedHistory,
  holdAudiences,
  holdGroupGraph,
  loadChannels,
  loadContentAudiences,
  loadMetadataAudiences,
  lockChannelRows,
  loadAfter,
} from "@carillon/model";

import { channelPropertyEvent } from "../../channel-events/channel-events.ts";
import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { readEvents, unstarredEvents } from "../flags/change-flag.ts";
import { archiveMessages, type GoneMessages, type Readers } from "./archive-messages.ts";

/** The most messages of one event: a queue has no more ids for it (events.md §6). */
const mostInEvent = 1_000;

/** The most messages of one call: those of a topic are one event. */
export const mostRemoved = mostInEvent;

interface RemovedMessages {
  /** The run that they are part of, from this batch on. */
  readonly run: RemovalRun;
  readonly count: number;
  /** For the transaction's one `emit`. */
  readonly events: readonly NewEvent[];
}

/**
 * The one way in which messages go: they move to the archive with everybody's copies, what refers to them is brought up
 * to date, and those who could see them are told. A fixed number of statements. What stays as it was: what people want
 * of the topics, and what a scheduled message says of its delivery.
 * @param places from `lockPlaces`, all channels that the messages are in
 * @param ids of messages that the transaction has selected and locked since; at most {@link mostRemoved}
 * @throws SendersInTheWay see `removal`
 */
export async function removeMessages(
  tx: Tx,
  run: RemovalRun,
  places: Places,
  ids: readonly number[],
): Promise<RemovedMessages> {
  if (ids.length === 0) return { run, count: 0, events: [] };
  if (ids.length > mostRemoved) throw new RangeError(`at most ${mostRemoved} messages at once`);
  const { realmId } = run;
  const before = Promise.all([
    newFirsts(tx, places, ids),
    isNoted(run) ? run : noteRemoval(tx, run),
  ]);
  // Once the run has an id, nothing has to be waited for.
  const id = run.id ?? (await before)[1].id;
  const moved = archiveMessages(tx, { realmId, removalId: id }, ids, readersOf(places));
  const [[firsts, noted], gone] = await Promise.all([before, moved]);
  await recordPushRemovals(tx, realmId, gone.pushed);
  const events = [
    ...deletionEvents(places, gone.topics),
    // Who has left is not told what happens there, but has to learn that these do not wait any more: the job that marks
    // them read after unsubscribing (channels.md §11) does not find them. Nor are they among those with a star.
    ...readEvents(gone.unseen.map(({ userId, unread }) => ({ userId, ids: unread }))),
    ...unstarredEvents(gone.unseen.map(({ userId, starred }) => ({ userId, ids: starred }))),
    ...(await storeFirsts(tx, realmId, firsts)),
  ];
  return { run: noted, count: gone.count, events };
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

/** Somebody may be sending a message that will be the channel's first, and nobody can see it yet. */
class SendersInTheWay extends Error {}

/**
 * Runs a transaction that removes messages. Others send to the channels meanwhile, but where it turns out that a channel
 * may get another first message by those who are sending (channels.md §1): then it begins again, and has the channels
 * alone.
 * @param work gets told whether it is to have the channels alone
 */
export async function removal<T>(
  db: Database,
  work: (tx: Tx, alone: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction((tx) => work(tx, false));
  } catch (error) {
    if (!(error instanceof SendersInTheWay)) throw error;
    return db.transaction((tx) => work(tx, true));
  }
}

/**
 * Why messages are removed: their channel keeps them no longer, an administrator deletes their topic, somebody deletes the
 * one, what a notice tells was taken back at once, or their sender was deactivated.
 */
type RemovalCause = "retention" | "topic" | "message" | "taken-back" | "deactivation";

/** One run of removing messages, in as many batches as it takes. */
export interface RemovalRun {
  readonly realmId: number;
  /** The one channel that they are of; null for direct messages, and for those of several channels. */
  readonly channelId: number | null;
  readonly cause: RemovalCause;
  /** Who wanted it; null where nobody did but the clock. */
  readonly actorId: number | null;
  /** Of its row, once a batch of it has committed. */
  readonly id?: number | undefined;
  /** When the row was written last, in this process's milliseconds. */
  readonly notedAt?: number | undefined;
}

/** A run with a row. */
interface NotedRun extends RemovalRun {
  readonly id: number;
}

/** After so many milliseconds its row is written again. */
const noteEvery = 60_000;

const note = statement({
  name: "removal-note",
  text: `INSERT INTO message_removals (id, realm_id, channel_id, cause, actor_id)
    VALUES (coalesce($1::bigint, nextval('message_removals_id_seq')), $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE SET ended_at = now() RETURNING id`,
  row: { id: column.bigint },
});

/** Whether a run goes on that was noted a while ago. What it has removed can be brought back for so long after its end. */
function isNoted(run: RemovalRun): run is NotedRun {
  const { id, notedAt } = run;
  return id !== undefined && notedAt !== undefined && performance.now() - notedAt < noteEvery;
}

/** Notes that the run goes on now. @returns the run, to be gone on with once the transaction has committed */
async function noteRemoval(tx: Tx, run: RemovalRun): Promise<NotedRun> {
  const values = [run.id ?? null, run.realmId, run.channelId, run.cause, run.actorId];
  const row = await tx.first(note, values);
  if (!row) throw new Error("a statement without a row");
  return { ...run, id: row.id, notedAt: performance.now() };
}

/**
 * What is told of messages that are gone (events.md §4), one event for those of one topic, or conversation, with the same
 * receivers: who could see them then. Of history that is shared these are all who may read the channel; of protected
 * history and of direct messages those of them who had a copy.
 */
function deletionEvents({ channels, readers }: Places, gone: readonly GoneMessages[]) {
  return gone.flatMap(({ recipientId, isChannel, topic, holderIds, ids }): NewEvent[] => {
    const message_ids = [...ids];
    if (!isChannel)
      return [messagesDeleted({ message_ids, message_type: "private" }, { audience: holderIds })];
    const channel = channels.get(recipientId);
    if (!channel) throw new Error("messages of a channel that was not locked were removed");
    const audience = seenBy(readers.get(channel.id), holderIds);
    if (audience?.length === 0) return [];
    const place = { message_type: "stream", stream_id: channel.id, topic } as const;
    return [messagesDeleted({ message_ids, ...place }, { audience })];
  });
}

/** What those are told for whom messages of a topic are gone, though not for everybody: in as few events as may be. */
export function lossEvents(
  { channelId, topic }: { readonly channelId: number; readonly topic: string },
  ids: readonly number[],
  audience: readonly number[],
): NewEvent[] {
  if (audience.length === 0) return [];
  const starts = ids.flatMap((_, i) => (i % mostInEvent === 0 ? [i] : []));
  return starts.map((start) =>
    messagesDeleted(
      {
        message_ids: ids.slice(start, start + mostInEvent),
        message_type: "stream",
        stream_id: channelId,
        topic,
      },
      { audience },
    ),
  );
}

/** @returns null for every active account */
function seenBy(
  readerIds: readonly number[] | undefined,
  holderIds: readonly number[] | null,
): readonly number[] | null {
  if (!holderIds) return readerIds ?? null;
  if (!readerIds) return holderIds;
  const mayRead = new Set(readerIds);
  return holderIds.filter((id) => mayRead.has(id));
}

/** A channel whose first message goes, and the one that will be. */
export interface NewFirst {
  readonly channel: Channel;
  /** Null where none is left. */
  readonly messageId: number | null;
}

/**
 * A message that is being sent shows up with its commit, and its id may be lower than that of one that is there. No
 * transaction lasts longer than a minute.
 */
const remaining = statement({
  name: "first-messages-left",
  text: `SELECT r.id AS "recipientId", first.id AS "messageId", first.settled
    FROM unnest($1::int[]) AS r (id) LEFT JOIN LATERAL (
      SELECT m.id, m.sent_at < now() - interval '5 minutes' AS settled FROM messages m WHERE m.id = (
        SELECT id FROM messages WHERE recipient_id = r.id AND id NOT IN (SELECT unnest($2::bigint[])) ORDER BY id LIMIT 1)
    ) first ON true`,
  row: {
    recipientId: column.int,
    messageId: column.bigint.orNull(),
    settled: column.bool.orNull(),
  },
});

/**
 * Which message is each channel's first once these are gone, where that is another one.
 * @param there those of them that have not gone yet
 * @throws SendersInTheWay where only somebody who has the channels alone can tell
 */
export async function newFirsts(
  tx: Tx,
  { channels, alone }: Places,
  ids: readonly number[],
  there = ids,
): Promise<NewFirst[]> {
  const going = new Set(ids);
  const losing = [...channels].filter(
    ([, { firstMessageId }]) => firstMessageId !== null && going.has(firstMessageId),
  );
  if (losing.length === 0) return [];
  const left = await tx.rows(remaining, [losing.map(([recipientId]) => recipientId), there]);
  if (!alone && left.some(({ settled }) => !settled)) throw new SendersInTheWay();
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
  row: {},
});

/** Notes the channels' first messages, and tells everybody who knows the channels. */
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

/** The channels that messages are removed from, locked, and who may read them. */
export interface Places {
  /** By `messages.recipient_id`. */
  readonly channels: ReadonlyMap<number, Channel>;
  readonly readers: ContentAudiences;
  /** Whether nobody sends to them meanwhile. */
  readonly alone: boolean;
}

const recipients = statement({
  name: "recipients-of-channels",
  text: `SELECT id, channel_id AS "channelId" FROM recipients WHERE channel_id = ANY($1::int[])`,
  row: { id: column.int, channelId: column.int.neverNullHere() },
});

/**
 * Keeps everybody who can read the channels, and the channels themselves, as they are until the transaction ends: who
 * is told of a removal is who could see the messages. It comes before the messages are selected and locked.
 * @param channelIds those of the messages; none for direct messages
 * @param alone whether sending to them has to wait, see {@link removal}
 */
export async function lockPlaces(
  tx: Tx,
  realmId: number,
  channelIds: readonly number[],
  alone: boolean,
): Promise<Places> {
  const { channels, rows, readers } = await loadAfter(
    [
      holdGroupGraph(tx, realmId),
      alone ? changeAudiences(tx, channelIds) : holdAudiences(tx, channelIds),
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
  return { channels: new Map(byRecipient), readers, alone };
}
