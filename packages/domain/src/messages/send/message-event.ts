import {
  type NumberedMessage,
  type Picture,
  type PresentableMessage,
  type Realm,
  commonFields,
  flagNames,
  personOf,
} from "@carillon/model";
import type { NewEvent } from "@carillon/events";

import type { Audience } from "./audience.ts";
import type { ReceiverFlags } from "./receiver-flags.ts";

/** What the log keeps of a message: everything that any receiver's form of it is made of. */
export interface LoggedMessage {
  /** As on the wire, but with both contents, and the topic as it is stored. */
  readonly message: ReturnType<typeof commonFields> & {
    /** The topic; `""` for direct messages. */
    readonly subject: string;
    readonly content: string;
    readonly rendered_content: string;
  };
  /** The address of the sender's picture depends on who looks. */
  readonly picture: Picture;
  /** Of receivers without flags of their own in the event's `userData`. */
  readonly flags: readonly string[];
  readonly public_gravatar: boolean;
  /** Whether it is in a channel that is not private. */
  readonly public_channel: boolean;
  /** Local echo: the queue whose event carries the id. */
  readonly local?: { readonly queue_id: string; readonly local_message_id: string };
}

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
  const { target, local } = message;
  const sender = personOf(message.sender);
  const flagsOf = Object.fromEntries(
    [...flags.byUser].map(([userId, bits]) => [userId, { flags: flagNames(flags.all | bits) }]),
  );
  const payload: LoggedMessage = {
    message: {
      ...commonFields(presentable(message, sender), realm),
      subject: message.topic,
      content: message.content,
      rendered_content: message.rendered.html,
    },
    picture: sender.picture,
    flags: flagNames(flags.all),
    public_gravatar: sender.hasPublicGravatar,
    public_channel: target.kind === "channel" && !target.channel.inviteOnly,
    ...(local ? { local: { queue_id: local.queueId, local_message_id: local.localId } } : {}),
  };
  return {
    type: "message",
    payload,
    audience,
    ...(flags.byUser.size > 0 ? { userData: flagsOf } : {}),
  };
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
