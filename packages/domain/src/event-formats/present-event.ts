import type { EventQueue, LoggedEvent, QueueEvent } from "@carillon/events";

import { OutgoingEvent, type EventContext, type Via } from "./outgoing-event.ts";
import { formatOf } from "./format-of.ts";

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
