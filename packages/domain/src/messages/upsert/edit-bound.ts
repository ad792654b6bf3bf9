import { ApiError } from "@carillon/contract";
import { ChangedMeanwhile, type Tx } from "@carillon/db";
import {
  accessMessages,
  type AccessibleMessage,
  type Account,
  type Destination,
  isPast,
  loadRealm,
  type Site,
} from "@carillon/model";

import { changeLockedMessage } from "../change/change-message.ts";
import { loadText } from "../change/check-change.ts";
import { requestBuffer } from "../change/check-move.ts";
import { type LockedChange, lockContent } from "../change/lock-change.ts";
import { checkMessage } from "../send/check.ts";

/**
 * Replaces the content of a message that its sender has bound to a key (once-and-again.md §2). Checks the content like the
 * content of a new message in the same conversation, then changes it as `PATCH /messages/{message_id}` does. Bots have no
 * time limit.
 * @returns undefined if the message cannot be edited: it is deleted, not visible to the sender, in an archived channel or
 *   a widget, the organization does not allow editing, or a person's time limit has passed
 * @throws ApiError the refusal of the content, or of posting there; nothing has changed then
 * @throws ChangedMeanwhile if the message became one that cannot be edited while this waited for its lock
 */
export async function editBound(
  tx: Tx,
  site: Site,
  account: Account,
  id: number,
  content: string,
): Promise<"edited" | "unchanged" | undefined> {
  // Check before locking, so that a message that cannot be edited is not locked.
  const seen = (await accessMessages(tx, account, [id])).get(id);
  if (!seen || !(await isEditable(tx, account, seen))) return undefined;
  const locked = await lockEditable(tx, account, id);
  const { actor, message } = locked;
  await checkMessage(tx, site, actor, {
    destination: placeOf(message),
    topic: message.topic,
    topicIsStored: true,
    content,
  });
  const wanted = {
    content,
    propagateMode: "change_one",
    notifyOldTopic: false,
    notifyNewTopic: false,
    atAnyAge: actor.isBot,
  } as const;
  const { changed } = await changeLockedMessage(tx, site, locked, wanted);
  return changed ? "edited" : "unchanged";
}

async function isEditable(
  tx: Tx,
  account: Account,
  { id, senderId, sentAt, channel }: AccessibleMessage,
): Promise<boolean> {
  if (channel?.isArchived || senderId !== account.id) return false;
  const { now, allowMessageEditing, contentEditLimit } = await loadRealm(tx, account.realmId);
  if (!allowMessageEditing) return false;
  if (!account.isBot && isPast(now - sentAt, contentEditLimit, requestBuffer)) return false;
  const text = await loadText(tx, account.realmId, id);
  return text?.isWidget === false;
}

async function lockEditable(tx: Tx, account: Account, id: number): Promise<LockedChange> {
  try {
    return await lockContent(tx, account, id);
  } catch (error) {
    if (error instanceof ApiError && error.code === "BAD_REQUEST")
      throw new ChangedMeanwhile(`message ${id} can no longer be edited`);
    throw error;
  }
}

function placeOf({ channelId, memberIds }: AccessibleMessage): Destination {
  return channelId === null
    ? { kind: "direct", userIds: memberIds ?? [] }
    : { kind: "channel", channelId };
}
