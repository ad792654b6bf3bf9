import { pictureUrl, unknownName, unknownPicture } from "@carillon/model";

import type { ClaimedPush } from "./claim-pushes.ts";
import type { PushedMessage } from "./pushed-messages.ts";
import type { PushingRealm } from "./realm-facts.ts";

/** What a device is told, before it is encrypted (push.md §9). */
export type Payload = Readonly<Record<string, unknown>>;

/**
 * That there is a message.
 * @param siteUrl `PUBLIC_URL`
 * @param groupName of the user group that the account is mentioned as a member of
 */
export function messagePayload(
  siteUrl: string,
  realm: PushingRealm,
  message: PushedMessage,
  { userId, role, unseenSender, groupId }: ClaimedPush,
  groupName: string | undefined,
): Payload {
  const { sender, id, time, content } = message;
  return {
    type: "message",
    ...common(realm, userId),
    message_id: id,
    time,
    sender_id: sender.id,
    sender_full_name: unseenSender ? unknownName : sender.fullName,
    sender_avatar_url: unseenSender
      ? unknownPicture(sender.id, siteUrl)
      : pictureUrl(siteUrl, sender.picture, { id: userId, role }),
    ...placeOf(realm, message),
    ...(groupId !== undefined && groupName !== undefined
      ? { mentioned_user_group_id: groupId, mentioned_user_group_name: groupName }
      : {}),
    content,
  };
}

/** That messages are to go off the device. @param messageIds ascending */
export function removalPayload(
  realm: PushingRealm,
  userId: number,
  messageIds: readonly number[],
): Payload {
  return { type: "remove", ...common(realm, userId), message_ids: messageIds };
}

function common({ url, name }: PushingRealm, userId: number) {
  return { realm_url: url, realm_name: name, user_id: userId };
}

function placeOf({ emptyTopicDisplayName }: PushingRealm, { place }: PushedMessage) {
  return place.kind === "direct"
    ? { recipient_type: "direct", recipient_user_ids: place.memberIds }
    : {
        recipient_type: "channel",
        channel_id: place.id,
        channel_name: place.name,
        topic: place.topic === "" ? emptyTopicDisplayName : place.topic,
      };
}
