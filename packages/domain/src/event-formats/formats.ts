import type { DeclaredEvents, EventDeclaration, EventFields, EventShape } from "@carillon/contract";

import { formatStreamCreate, formatStreamDelete, formatStreamUpdate } from "./channels.ts";
import type { Format } from "./outgoing-event.ts";
import { formatGroupChange, formatGroupUpdate } from "./groups.ts";
import { formatDeletion, formatFlagRemoval, formatMessageUpdate } from "./message-changes.ts";
import { formatMessage } from "./message.ts";
import { formatEmojiChange, formatLinkifiers } from "./organization.ts";
import { formatPresence } from "./presence.ts";
import { formatReaction } from "./reactions.ts";
import {
  formatPeers,
  formatSubscriptionAdd,
  formatSubscriptionRemove,
  formatSubscriptionUpdate,
} from "./subscriptions.ts";
import { formatEditing, formatTyping, formatUserTopic } from "./topics.ts";
import { formatUserAdd, formatUserUpdate } from "./users.ts";

/** What depends on the queue: the log keeps something else, or receivers or older clients get something else. */
type DependsOnQueue<Event extends EventDeclaration> = Event["log"] extends EventFields
  ? true
  : Event["own"] extends EventShape
    ? true
    : keyof Event["older"] extends never
      ? false
      : true;

/** A format for each event that needs one, and for no other. */
type Formats = {
  readonly [
    Name in keyof DeclaredEvents as DependsOnQueue<DeclaredEvents[Name]> extends true ? Name : never
  ]: Format<DeclaredEvents[Name]>;
};

/** How events are told that depend on the queue (events.md §1.1, §4), by the names of their declarations. */
export const formats: Formats = {
  channelUpdated: formatStreamUpdate,
  channelsCreated: formatStreamCreate,
  channelsDeleted: formatStreamDelete,
  editingStarted: formatEditing,
  editingStopped: formatEditing,
  emojiAdded: formatEmojiChange,
  emojiUpdated: formatEmojiChange,
  flagRemoved: formatFlagRemoval,
  linkifiersChanged: formatLinkifiers,
  messageSent: formatMessage,
  messageUpdated: formatMessageUpdate,
  messagesDeleted: formatDeletion,
  peersAdded: formatPeers,
  peersRemoved: formatPeers,
  presenceChanged: formatPresence,
  reactionAdded: formatReaction,
  reactionRemoved: formatReaction,
  subscriptionUpdated: formatSubscriptionUpdate,
  subscriptionsAdded: formatSubscriptionAdd,
  subscriptionsRemoved: formatSubscriptionRemove,
  topicPolicyChanged: formatUserTopic,
  typingStarted: formatTyping,
  typingStopped: formatTyping,
  userAdded: formatUserAdd,
  userGroupAdded: formatGroupChange,
  userGroupMembersAdded: formatGroupChange,
  userGroupMembersRemoved: formatGroupChange,
  userGroupSubgroupsAdded: formatGroupChange,
  userGroupSubgroupsRemoved: formatGroupChange,
  userGroupUpdated: formatGroupUpdate,
  userUpdated: formatUserUpdate,
};
