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
  formatBotAdd,
  formatBotUpdate,
  formatEmojiChange,
  formatGroupChange,
  formatGroupUpdate,
  formatLinkifiers,
  formatPresence,
  formatUserAdd,
  formatUserUpdate,
} from "./users.ts";

/**
 * Returns the events that one queue receives for a logged event, in order: usually one, rarely more. Returns none if
 * the queue's types, narrow or capabilities exclude the event, or if the event is opt-in and the queue's types do not
 * name it (events.md §1, §1.1, §4). The caller has checked that the queue's user may receive the event, and adds the
 * `id`.
 *
 * Queues with the same options share one `message` object, so that it can be serialized once.
 *
 * @param via "public" for a message that the queue receives only because it listens to all public channels: it has no
 * flags
 */
export function presentEvent(
  event: LoggedEvent,
  queue: EventQueue,
  context: EventContext,
  via: Via,
): readonly QueueEvent[] {
  const { eventTypes } = queue.options;
  const isNamed = eventTypes?.includes(event.type);
  if (!(isNamed ?? !event.declared?.optIn)) return [];
  return formatOf(event.declared)(new OutgoingEvent(event, queue, context, via));
}

/** The formats of events that depend on the queue (events.md §1.1, §4), by the names of their declarations. */
const formats: Formats = {
  botAdded: formatBotAdd,
  botUpdated: formatBotUpdate,
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
    // Each format is only called with rows of its own declaration.
    format as Format<EventDeclaration>,
  ]),
);

/** Sends an event as logged: for events without a format, and for events of another version of Carillon. */
const asLogged: Format<EventDeclaration> = (outgoing) => [outgoing.present(outgoing.fields)];

/** Returns the format for the declaration's rows. */
function formatOf(declared: EventDeclaration | undefined): Format<EventDeclaration> {
  return byDeclaration.get(declared) ?? asLogged;
}

/** Whether the event depends on the queue: the log has other fields, or receivers or older clients get others. */
type DependsOnQueue<Event extends EventDeclaration> = Event["log"] extends EventFields
  ? true
  : Event["own"] extends EventShape
    ? true
    : keyof Event["older"] extends never
      ? false
      : true;

/** Requires a format for each event that depends on the queue, and for no other. */
type Formats = {
  readonly [
    Name in keyof DeclaredEvents as DependsOnQueue<DeclaredEvents[Name]> extends true ? Name : never
  ]: Format<DeclaredEvents[Name]>;
};
