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
