import type { CheckedMessage } from "./draft.ts";

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
