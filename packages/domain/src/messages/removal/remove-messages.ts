import { hasProtectedHistory } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { readEvents, unstarredEvents } from "../flags/alike-events.ts";
import { archiveMessages, type Readers } from "./archive-messages.ts";
import { newFirsts, storeFirsts } from "./first-messages.ts";
import type { Places } from "./places.ts";
import { deletionEvents, mostInEvent } from "./removal-events.ts";
import { isNoted, noteRemoval, type RemovalRun } from "./removal-run.ts";

/** The most messages of one call: those of a topic are one event. */
export const mostRemoved = mostInEvent;

export interface RemovedMessages {
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
