import { type LoggedFields, type NewEvent, flagAdded, flagRemoved } from "@carillon/contract";

type Removed = LoggedFields<typeof flagRemoved>;

/**
 * @param messages ascending
 * @param audience ascending
 */
export function flagAddition(flag: string, messages: number[], audience: number[]): NewEvent {
  return flagAdded({ operation: "add", flag, messages, all: false }, { audience });
}

/**
 * Everything that an account has is read. It must not have been sent anything unread whose event comes before this one
 * (see `nothingUnread`).
 */
export function allRead(userId: number): NewEvent {
  return flagAdded(
    { operation: "add", flag: "read", messages: [], all: true },
    { audience: [userId] },
  );
}

/** @param details of messages that are unread by now */
export function flagRemoval(
  flag: string,
  messages: number[],
  audience: number[],
  details?: Removed["message_details"],
): NewEvent {
  const fields = { operation: "remove", flag, messages, all: false } as const;
  return flagRemoved(details ? { ...fields, message_details: details } : fields, { audience });
}
