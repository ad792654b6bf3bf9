import type { NewEvent } from "@carillon/events";
import { isMeMessage, topicLinks } from "@carillon/markdown";

import type { Realm } from "../realms/realm.ts";
import { avatarUrl, hasPublicGravatar } from "../users/avatar.ts";
import type { Audience } from "./audience.ts";
import { flagNames } from "./flags.ts";
import type { NumberedMessage } from "./outgoing.ts";
import type { ReceiverFlags } from "./receiver-flags.ts";

/**
 * The `message` event as the log keeps it: once for all receivers, with both forms of the content and of the avatar;
 * the poll that hands it out picks those that its queue asked for (events.md §5.5).
 */
export function messageEvent(
  realm: Realm,
  message: NumberedMessage,
  audience: Audience,
  flags: ReceiverFlags,
): NewEvent {
  const { sender, target, local } = message;
  const flagsOf = Object.fromEntries(
    [...flags.byUser].map(([userId, bits]) => [userId, { flags: flagNames(flags.all | bits) }]),
  );
  return {
    type: "message",
    payload: {
      message: {
        id: message.id,
        type: target.kind === "channel" ? "stream" : "private",
        ...(target.kind === "channel" ? { stream_id: target.channel.id } : {}),
        subject: message.topic,
        topic_links: message.topic === "" ? [] : topicLinks(message.topic),
        content: message.content,
        rendered_content: message.rendered.html,
        timestamp: Math.floor(message.sentAt),
        client: message.clientName,
        recipient_id: message.recipientId,
        display_recipient: displayRecipient(message),
        is_me_message: isMeMessage(message.content),
        sender_id: sender.id,
        sender_email: sender.email,
        sender_full_name: sender.fullName,
        sender_realm_str: realm.subdomain,
        avatar_url: avatarUrl(sender),
        reactions: [],
        submessages: [],
      },
      flags: flagNames(flags.all),
      public_gravatar: hasPublicGravatar(sender),
      ...(local ? { local: { queue_id: local.queueId, local_message_id: local.localId } } : {}),
    },
    audience,
    ...(flags.byUser.size > 0 ? { userData: flagsOf } : {}),
  };
}

/** The channel's name, or everybody in the conversation (messages.md §1.4). */
function displayRecipient({ target }: NumberedMessage): string | object[] {
  if (target.kind === "channel") return target.channel.name;
  return target.participants.map(({ id, email, fullName }) => ({
    id,
    email,
    full_name: fullName,
    is_mirror_dummy: false,
  }));
}
