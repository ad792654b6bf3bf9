import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { hasProtectedHistory } from "@carillon/model";

import { archivedClaims } from "../../files/claims.ts";
import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { readEvents, unstarredEvents } from "../flags/change-flag.ts";
import { archiveMessages, type Readers } from "./archive-messages.ts";
import { deletionEvents, maxPerEvent } from "./deletion-events.ts";
import { findNewFirstMessages, storeFirstMessages } from "./first-messages.ts";
import type { LockedChannels } from "./locked-channels.ts";
import { isRecentlyRecorded, recordRun, type RemovalRun } from "./removal-run.ts";

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
 * @param lockedChannels from `lockChannelsAndAudiences`, all channels that the messages are in
 * @param ids of messages that the transaction has selected and locked after the channels; at most {@link maxRemoved}
 * @throws ConcurrentSends see `runRemoval`
 */
export async function removeMessages(
  tx: Tx,
  run: RemovalRun,
  lockedChannels: LockedChannels,
  ids: readonly number[],
): Promise<RemovedMessages> {
  if (ids.length === 0) return { run, count: 0, events: [] };
  if (ids.length > maxRemoved) throw new RangeError(`at most ${maxRemoved} messages at once`);
  const { realmId } = run;
  const before = Promise.all([
    findNewFirstMessages(tx, lockedChannels, ids),
    isRecentlyRecorded(run) ? run : recordRun(tx, run),
  ]);
  // A run that already has an id need not wait until its row is written again.
  const id = run.id ?? (await before)[1].id;
  const moved = archiveMessages(tx, { realmId, removalId: id }, ids, readersOf(lockedChannels));
  const [[firsts, recorded], archived] = await Promise.all([before, moved]);
  await recordPushRemovals(tx, realmId, archived.pushed);
  const events = [
    ...deletionEvents(lockedChannels, archived.topics),
    // Accounts that have left the channel get no deletion event, but their clients must learn that the messages are no
    // longer unread or starred: the job that marks messages read after unsubscribing (channels.md §11) no longer finds
    // them.
    ...readEvents(archived.unseen.map(({ userId, unread }) => ({ userId, ids: unread }))),
    ...unstarredEvents(archived.unseen.map(({ userId, starred }) => ({ userId, ids: starred }))),
    ...(await storeFirstMessages(tx, realmId, firsts)),
    ...(archived.hadAttachments ? await archivedClaims(tx, realmId, ids) : []),
  ];
  return { run: recorded, count: archived.count, events };
}

function readersOf({ channels, readers }: LockedChannels): Readers {
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
