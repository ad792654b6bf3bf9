import {
  type Account,
  type CheckedMessage,
  type Destination,
  type MessageType,
  type Site,
  channelsOf,
  holdAudiences,
  isChannelType,
} from "@carillon/model";
import { type NewEvent, errors, typingStarted, typingStopped } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { checkMessage } from "../messages/send/check.ts";
import {
  channelReceiversOf,
  checkTellsTyping,
  directReceivers,
  maxSubscribers,
} from "./typing-settings.ts";

type TypingOp = "start" | "stop";

export interface TypingInput {
  readonly op: TypingOp;
  readonly type: MessageType;
  readonly to: number | readonly number[] | undefined;
  readonly channelId: number | undefined;
  readonly topic: string | undefined;
}

/** The message that the sender may be writing, of which nobody can know what it says. */
const unwritten = "…";

/**
 * Tells a conversation that somebody is typing, or has stopped, each time that it is asked to (events.md §6); stores
 * nothing (clients.md §4). An account that could not send a message there may not do so either, and gets the same
 * refusals.
 * @throws ApiError `BAD_REQUEST` where the sender does not want typing to be told, `REQUEST_VARIABLE_MISSING`, and the
 * refusals of a message (scheduled-messages.md §0.4)
 */
export async function tellTyping(
  tx: Tx,
  site: Site,
  actor: Account,
  input: TypingInput,
): Promise<void> {
  const { op, topic } = input;
  const destination = destinationOf(input);
  await checkTellsTyping(tx, actor, destination.kind);
  const [, { message }] = await Promise.all([
    holdAudiences(tx, channelsOf([destination])),
    checkMessage(tx, site, actor, { destination, topic, content: unwritten }),
  ]);
  const event = await typingEvent(tx, op, message);
  if (event) emit(tx, actor.realmId, [event]);
}

function destinationOf({ type, to, channelId, topic }: TypingInput): Destination {
  if (!isChannelType(type)) {
    if (to === undefined) throw errors.requestVariableMissing("to");
    return { kind: "direct", userIds: typeof to === "number" ? [to] : to };
  }
  if (channelId === undefined) throw errors.requestVariableMissing("stream_id");
  if (topic === undefined) throw errors.requestVariableMissing("topic");
  return { kind: "channel", channelId };
}

/** The event, undefined where there is nobody to tell. */
async function typingEvent(
  tx: Tx,
  op: TypingOp,
  { sender, target, topic }: CheckedMessage,
): Promise<NewEvent | undefined> {
  if (target.kind === "channel" && target.channel.subscriberCount > maxSubscribers)
    return undefined;
  const audience =
    target.kind === "channel"
      ? await channelReceiversOf(tx, sender, target.channel.id)
      : await directReceivers(tx, sender.realmId, target.members);
  if (audience.length === 0) return undefined;
  const payload =
    target.kind === "channel"
      ? {
          message_type: "stream" as const,
          sender: person(sender),
          stream_id: target.channel.id,
          topic,
        }
      : {
          message_type: "direct" as const,
          sender: person(sender),
          recipients: target.participants.map(person),
        };
  const event = op === "start" ? typingStarted : typingStopped;
  return event(payload, { audience });
}

function person({ id, email }: Account) {
  return { user_id: id, email };
}
