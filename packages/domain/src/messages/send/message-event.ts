import { type LoggedFields, type NewEvent, messageSent } from "@carillon/contract";
import {
  type NumberedMessage,
  type PresentableMessage,
  type Realm,
  commonFields,
  flagNames,
  isPublic,
  personOf,
  submessageObject,
} from "@carillon/model";

import type { Audience } from "./audience.ts";
import type { ReceiverFlags } from "./receiver-flags.ts";
import { widgetSubmessage } from "./store-widgets.ts";

/** The stored event: all fields from which a receiver's form of the message is made. */
export type LoggedMessage = LoggedFields<typeof messageSent>;

/**
 * Makes the `message` event that the log stores once for all receivers, with both forms of the content and of the avatar.
 * The poll picks the forms that its queue asked for (events.md §5.5).
 * @param unseenBy receivers who do not see the sender
 */
export function messageEvent(
  realm: Realm,
  message: NumberedMessage,
  audience: Audience,
  flags: ReceiverFlags,
  unseenBy: readonly number[] = [],
): NewEvent {
  const { target, local } = message;
  const sender = personOf(message.sender);
  const own: Record<string, { flags?: string[]; unseen_sender?: true }> = {};
  for (const [userId, bits] of flags.byUser) own[userId] = { flags: flagNames(bits) };
  for (const userId of unseenBy) own[userId] = { ...own[userId], unseen_sender: true };
  const widget = widgetSubmessage(message);
  const payload: LoggedMessage = {
    message: Object.assign(commonFields(presentable(message, sender), realm), {
      subject: message.topic,
      content: message.content,
      rendered_content: message.rendered.html,
      ...(widget ? { submessages: [submessageObject(widget)] } : {}),
    }),
    picture: sender.picture,
    flags: flagNames(flags.all),
    public_gravatar: sender.hasPublicGravatar,
    public_channel: target.kind === "channel" && isPublic(target.channel),
    ...(target.kind === "channel" && target.channel.isArchived ? { archived: true } : {}),
    ...(local ? { local: { queue_id: local.queueId, local_message_id: local.localId } } : {}),
  };
  return messageSent(payload, {
    audience,
    ...(Object.keys(own).length > 0 ? { userData: own } : {}),
  });
}

function presentable(
  message: NumberedMessage,
  sender: PresentableMessage["sender"],
): PresentableMessage {
  const { target, topic } = message;
  return {
    id: message.id,
    sentAt: message.sentAt,
    sender,
    client: message.clientName,
    recipientId: message.recipientId,
    place:
      target.kind === "channel"
        ? { channel: target.channel, topic }
        : { participants: target.participants },
    content: message.content,
    renderedContent: message.rendered.html,
  };
}
