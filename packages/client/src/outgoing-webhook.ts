import type { Message } from "./generated/api.ts";

/** The body of a request to an outgoing webhook bot, in the generic format (bot-platform.md §2.2). */
export interface OutgoingWebhookCall {
  readonly trigger: "mention" | "direct_message";
  /** The message's text as it was written. */
  readonly data: string;
  readonly message: OutgoingWebhookMessage;
  /** The address with which the bot logs in. */
  readonly bot_email: string;
  readonly bot_full_name: string;
  /** Identifies the server to the bot. The signature of the request also protects the body and the time. */
  readonly token: string;
}

/** The message as the bot sees it, in both forms. */
export interface OutgoingWebhookMessage extends Omit<Message, "flags" | "avatar_url"> {
  readonly avatar_url: string;
  /** HTML; `content` is the text as it was written. */
  readonly rendered_content: string;
}

/** What an outgoing webhook bot may answer. Without text, and with an empty body, it says nothing. */
export interface OutgoingWebhookAnswer {
  /** The reply. */
  readonly content?: string;
  /** Whether there is no reply, whatever else the answer has. */
  readonly response_not_required?: boolean;
}
