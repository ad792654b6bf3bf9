import { messagesDeleted, type NewEvent } from "@carillon/contract";

import type { RemovedTopicMessages } from "./archive-messages.ts";
import type { LockedChannels } from "./locked-channels.ts";

/** Maximum messages of one event: the limit of ids in a queue's event (events.md §6). */
export const maxPerEvent = 1_000;

/**
 * Makes the events of removed messages (events.md §4), one for each topic or conversation and set of receivers.
 * Receivers are the accounts that could see the messages: with shared history all readers of the channel, with
 * protected history and direct messages those readers that had a copy.
 */
export function deletionEvents(
  { channels, readers }: LockedChannels,
  removed: readonly RemovedTopicMessages[],
) {
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
