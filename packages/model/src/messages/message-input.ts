import { errors, knowableId } from "@carillon/contract";
import type { RenderedMessage } from "@carillon/markdown";

import type { Account } from "../users/account.ts";
import type { PostingChannel } from "./channel-facts.ts";
import type { Members } from "./recipients.ts";

/** A message that somebody wants to send, now or later, before anything has been checked. */
export interface MessageInput {
  readonly senderId: number;
  readonly destination: Destination;
  /** As sent; ignored for direct messages. */
  readonly topic: string | undefined;
  /** Whether it was accepted before, perhaps by an earlier version, and may have invisible characters. */
  readonly topicIsStored?: boolean;
  readonly content: string;
  /** The widget that the sender wants with it, as JSON; none unless given, but for what the content asks for. */
  readonly widget?: string | undefined;
}

export type Destination =
  | {
      readonly kind: "channel";
      /** 0 where there is none. */
      readonly channelId: number;
      /** Where the channel was named so: to an account that does not see it, it does not exist. */
      readonly name?: string;
    }
  /** The sender may be listed or not. */
  | { readonly kind: "direct"; readonly userIds: readonly number[] };

/** The channels among the destinations that there may be. */
export function channelsOf(destinations: readonly Destination[]): number[] {
  const ids = destinations.flatMap((each) =>
    each.kind === "channel" ? [knowableId(each.channelId)] : [],
  );
  return [...new Set(ids)].filter((id) => id !== 0);
}

/** A message that may be sent: what {@link checkMessages} makes of a input. */
export interface CheckedMessage {
  readonly sender: Account;
  readonly target: Target;
  /** `""` for the empty topic and for direct messages. */
  readonly topic: string;
  readonly content: string;
  readonly rendered: RenderedMessage;
  /** People whom it mentions and who follow topics where they are mentioned. */
  readonly mentionedFollowers: readonly number[];
  /** Its first submessage, as JSON; undefined for a message that is none but its text. */
  readonly widget?: string | undefined;
  /** Where it was checked, what it begins unless that is there: a topic or a conversation, equal for all spellings. */
  readonly begins?: string;
}

export type Target =
  | { readonly kind: "channel"; readonly channel: PostingChannel }
  | {
      readonly kind: "direct";
      readonly members: Members;
      /** Everybody in `members`. */
      readonly participants: readonly Account[];
    };

/** A checked message on its way into the database. */
export interface OutgoingMessage extends CheckedMessage {
  readonly clientId: number;
  readonly clientName: string;
  /** Whether the sender's own copy counts as read. */
  readonly readBySender: boolean;
  /** Others who know already: their copies count as read. */
  readonly readBy?: readonly number[];
  /** Where it is given, the copies of these are unread, and everybody else's count as read. */
  readonly unreadBy?: readonly number[];
  /** The scheduled message that it comes from: it is sent at most once. */
  readonly scheduledMessageId?: number;
  /** Local echo: the event of this one queue carries the id that the client gave. */
  readonly local?: { readonly queueId: string; readonly localId: string };
}

/** An outgoing message with what the database gave it. */
export interface NumberedMessage extends OutgoingMessage {
  readonly id: number;
  readonly recipientId: number;
  /** Of its first submessage; undefined without {@link CheckedMessage.widget}. */
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
 * Where a scheduled message goes: one channel id, or a list of user ids (scheduled-messages.md §1).
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
