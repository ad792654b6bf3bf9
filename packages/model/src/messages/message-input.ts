import { errors, knowableId } from "@carillon/contract";
import type { RenderedMessage } from "@carillon/markdown";

import type { Account } from "../users/account.ts";
import type { PostingChannel } from "./channel-facts.ts";
import type { Members } from "./recipients.ts";

/** A message to send now or later, before any check. */
export interface MessageInput {
  readonly senderId: number;
  readonly destination: Destination;
  /** As sent; ignored for direct messages. */
  readonly topic: string | undefined;
  /** Whether the topic was accepted before, perhaps by an earlier version, and may contain invisible characters. */
  readonly topicIsStored?: boolean;
  readonly content: string;
  /**
   * Whether a bot answers a message in its conversation. Such an answer needs no access to the channel and no permission
   * to post there (bot-platform.md §2.4).
   */
  readonly isReply?: boolean;
  /** JSON of the widget that the sender requests; undefined for none, except a widget that the content asks for. */
  readonly widget?: string | undefined;
}

export type Destination =
  | {
      readonly kind: "channel";
      /** 0 if there is none. */
      readonly channelId: number;
      /**
       * The name, if the request names the channel. An account that cannot see the channel gets the error for an unknown
       * name.
       */
      readonly name?: string;
    }
  /** Listing the sender is optional. */
  | { readonly kind: "direct"; readonly userIds: readonly number[] };

/** Returns the valid channel ids among the destinations. */
export function channelsOf(destinations: readonly Destination[]): number[] {
  const ids = destinations.flatMap((each) =>
    each.kind === "channel" ? [knowableId(each.channelId)] : [],
  );
  return [...new Set(ids)].filter((id) => id !== 0);
}

/** A message that may be sent: the result of {@link checkMessages}. */
export interface CheckedMessage {
  readonly sender: Account;
  readonly target: Target;
  /** `""` for the empty topic and for direct messages. */
  readonly topic: string;
  readonly content: string;
  readonly rendered: RenderedMessage;
  /** Mentioned people who automatically follow topics in which they are mentioned. */
  readonly mentionedFollowers: readonly number[];
  /** Outgoing webhook bots that it mentions, which are called. */
  readonly mentionedCallees?: readonly number[];
  /** Its first submessage, as JSON; undefined for a message without a widget. */
  readonly widget?: string | undefined;
  /**
   * Key of the topic or conversation that the message creates if none exists, the same for all spellings. The check
   * sets it.
   */
  readonly begins?: string;
}

export type Target =
  | { readonly kind: "channel"; readonly channel: PostingChannel }
  | {
      readonly kind: "direct";
      readonly members: Members;
      /** The accounts of all `members`. */
      readonly participants: readonly Account[];
    };

/** A checked message to insert. */
export interface OutgoingMessage extends CheckedMessage {
  readonly clientId: number;
  readonly clientName: string;
  /** Whether the sender's own copy counts as read. */
  readonly readBySender: boolean;
  /** Other accounts whose copies count as read. */
  readonly readBy?: readonly number[];
  /** If given, only the copies of these accounts are unread. */
  readonly unreadBy?: readonly number[];
  /** Recipient row of an existing direct conversation. If given, the row is not looked up under the lock of new ones. */
  readonly recipientId?: number;
  /** The scheduled message from which it comes, which is sent at most once. */
  readonly scheduledMessageId?: number;
  /** The call of an outgoing webhook that it answers, which is answered at most once. */
  readonly outgoingCallId?: number;
  /** Whether the server sends it in the sender's name, although it comes from no scheduled message. */
  readonly isAutomatic?: boolean;
  /** Local echo: the event of this queue contains the client's local id. */
  readonly local?: { readonly queueId: string; readonly localId: string };
}

/** An inserted message with the values that the database has assigned. */
export interface NumberedMessage extends OutgoingMessage {
  readonly id: number;
  readonly recipientId: number;
  /** Id of its first submessage; undefined without {@link CheckedMessage.widget}. */
  readonly widgetId?: number | undefined;
  /** UNIX time in seconds, with a fraction. */
  readonly sentAt: number;
}

/** `type` as sent; `stream` and `private` are the older names. */
export type MessageType = "direct" | "private" | "channel" | "stream";

export function isChannelType(type: MessageType): boolean {
  return type === "channel" || type === "stream";
}

/**
 * Returns the destination of a scheduled message: one channel id, or a list of user ids (scheduled-messages.md §1).
 * @throws ApiError `BAD_REQUEST` for the other shape
 */
export function scheduledDestination(
  toChannel: boolean,
  to: number | readonly number[],
): Destination {
  if (toChannel) {
    if (typeof to !== "number") throw errors.badRequest("to must be one channel ID");
    return { kind: "channel", channelId: to };
  }
  if (typeof to === "number") throw errors.badRequest("to must be a list of user IDs");
  return { kind: "direct", userIds: to };
}
