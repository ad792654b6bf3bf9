import { type NewEvent, messagesDeleted } from "@carillon/contract";

import type { GoneMessages } from "./archive-messages.ts";
import type { Places } from "./places.ts";

/**
 * What is told of messages that are gone (events.md §4), one event for those of one topic, or conversation, with the same
 * receivers: who could see them then. Of history that is shared these are all who may read the channel; of protected
 * history and of direct messages those of them who had a copy.
 */
export function deletionEvents({ channels, readers }: Places, gone: readonly GoneMessages[]) {
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

/** The most messages of one event: a queue has no more ids for it (events.md §6). */
export const mostInEvent = 1_000;

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
