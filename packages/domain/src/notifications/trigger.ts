import type { PushTrigger } from "@carillon/jobs";
import { visibilityPolicy } from "@carillon/model";

/** How a message calls one of its receivers: by name, or as a member of a user group. */
export type Mention =
  | { readonly kind: "personal" }
  | { readonly kind: "group"; readonly id: number };

/** Everything that decides whether a message is pushed to one of its receivers (push.md §9). */
export interface PushFacts {
  readonly isDirect: boolean;
  readonly mention: Mention | undefined;
  readonly topicWildcard: boolean;
  readonly channelWildcard: boolean;
  /** Of the topic: one of `visibilityPolicy`. */
  readonly policy: number;
  readonly channelMuted: boolean;
  /** Of the subscription; null where it has none of its own. */
  readonly channelPush: boolean | null;
  readonly channelWildcards: boolean | null;
  /** `enable_offline_push_notifications` */
  readonly offline: boolean;
  /** `enable_online_push_notifications` */
  readonly online: boolean;
  /** `enable_followed_topic_push_notifications` */
  readonly followed: boolean;
  /** `enable_followed_topic_wildcard_mentions_notify` */
  readonly followedWildcards: boolean;
  /** `wildcard_mentions_notify` */
  readonly wildcards: boolean;
  /** `enable_stream_push_notifications` */
  readonly channels: boolean;
  /** Somebody is there, with a client that is told of messages. */
  readonly present: boolean;
}

export interface Triggered {
  readonly trigger: PushTrigger;
  /** The user group that the receiver is mentioned as a member of. */
  readonly groupId?: number;
}

/** Why a message is pushed to a receiver: the first row of push.md §9 that fits; undefined where it is not. */
export function triggerOf(facts: PushFacts): Triggered | undefined {
  const { mention, offline, policy } = facts;
  if (facts.present && !facts.online) return undefined;
  if (facts.isDirect) return offline ? { trigger: "direct_message" } : undefined;
  if (mention && offline)
    return mention.kind === "group"
      ? { trigger: "mention", groupId: mention.id }
      : { trigger: "mention" };
  const isFollowed = policy === visibilityPolicy.followed;
  const wildcard = (facts.topicWildcard || facts.channelWildcard) && offline;
  if (wildcard && isFollowed && facts.followedWildcards)
    return { trigger: "followed_topic_wildcard" };
  const muted = isMuted(facts);
  if (wildcard && !muted && (facts.channelWildcards ?? facts.wildcards))
    return { trigger: "wildcard" };
  if (isFollowed && facts.followed) return { trigger: "followed_topic" };
  if (!muted && (facts.channelPush ?? facts.channels)) return { trigger: "channel" };
  return undefined;
}

function isMuted({ policy, channelMuted }: PushFacts): boolean {
  if (policy === visibilityPolicy.muted) return true;
  return (
    channelMuted && policy !== visibilityPolicy.unmuted && policy !== visibilityPolicy.followed
  );
}
