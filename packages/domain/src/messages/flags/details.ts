import type { flagRemoved, LoggedFields } from "@carillon/contract";
import { type AccessibleMessage, flag } from "@carillon/model";

import type { WrittenCopy } from "./write-copies.ts";

type Details = NonNullable<LoggedFields<typeof flagRemoved>["message_details"]>;

const mention = flag.mentioned | flag.streamWildcardMentioned | flag.topicWildcardMentioned;

/** Where the messages are that are unread by now: clients need not have them (events.md §4). By id. */
export function detailsOf(
  ownId: number,
  seen: ReadonlyMap<number, AccessibleMessage>,
  unread: readonly WrittenCopy[],
): Details {
  return Object.fromEntries(
    unread.flatMap(({ id, flags }) => {
      const message = seen.get(id);
      if (!message) return [];
      const mentioned = (flags & mention) === 0 ? {} : { mentioned: true as const };
      return [[String(id), { ...placeOf(ownId, message), ...mentioned }]];
    }),
  );
}

function placeOf(
  ownId: number,
  { channelId, topic, memberIds }: AccessibleMessage,
): Details[string] {
  if (channelId !== null) return { type: "stream", stream_id: channelId, topic };
  return { type: "private", user_ids: (memberIds ?? []).filter((id) => id !== ownId) };
}
