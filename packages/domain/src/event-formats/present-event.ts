import {
  type DeclaredEvents,
  type EventDeclaration,
  eventDeclarations,
  type EventFields,
  type EventShape,
} from "@carillon/contract";
import type { EventQueue, LoggedEvent, QueueEvent } from "@carillon/events";

import {
  formatEditing,
  formatPeers,
  formatStreamCreate,
  formatStreamDelete,
  formatStreamUpdate,
  formatSubscriptionAdd,
  formatSubscriptionRemove,
  formatSubscriptionUpdate,
  formatTyping,
  formatUserTopic,
} from "./channels.ts";
import {
  formatDeletion,
  formatFlagRemoval,
  formatMessage,
  formatMessageUpdate,
  formatReaction,
} from "./messages.ts";
import { type EventContext, type Format, OutgoingEvent, type Via } from "./outgoing-event.ts";
import {
  formatEmojiChange,
  formatGroupChange,
  formatGroupUpdate,
  formatLinkifiers,
  formatPresence,
  formatUserAdd,
  formatUserUpdate,
} from "./users.ts";

/**
 * What one queue is told of one event, in order: nothing where its types, its narrow or its capabilities say so,
 * seldom more than one (events.md §1, §1.1, §4). Everything but the `id`, which the caller gives, and the question
 * whether the queue's user may be told at all, which the caller has answered.
 *
 * The `message` objects of queues that want messages alike are one object, so that it can be serialized once.
 *
 * @param via "public" for a message that the queue gets only because it listens to all public channels: it has no flags
 */
export function presentEvent(
  event: LoggedEvent,
  queue: EventQueue,
  context: EventContext,
  via: Via,
): readonly QueueEvent[] {
  const { eventTypes } = queue.options;
  if (eventTypes !== null && !eventTypes.includes(event.type)) return [];
  return formatOf(event.declared)(new OutgoingEvent(event, queue, context, via));
}

/** How events are told that depend on the queue (events.md §1.1, §4), by the names of their declarations. */
const formats: Formats = {
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

const byDeclaration = new Map<EventDeclaration | undefined, Format<EventDeclaration>>(
  Object.entries(formats).map(([name, format]) => [
    eventDeclarations[name as keyof typeof formats],
    // Each is called with rows of its own declaration only.
    format as Format<EventDeclaration>,
  ]),
);

/** What needs no format, and what another version of Carillon has written, goes out as it lies in the log. */
const asLogged: Format<EventDeclaration> = (outgoing) => [outgoing.tell(outgoing.fields)];

/** The format of rows of the declaration. */
function formatOf(declared: EventDeclaration | undefined): Format<EventDeclaration> {
  return byDeclaration.get(declared) ?? asLogged;
}

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
