import { knowableId } from "@carillon/contract";
import type { RenderedMessage } from "@carillon/markdown";

import type { Account } from "../users/account.ts";
import type { PostingChannel } from "./channel-facts.ts";
import type { Members } from "./recipients.ts";

/** A message that somebody wants to send, now or later, before anything has been checked. */
export interface Draft {
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

/** A message that may be sent: what {@link checkMessages} makes of a draft. */
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
