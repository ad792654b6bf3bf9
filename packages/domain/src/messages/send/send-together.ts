import {
  type Account,
  type CheckedMessage,
  type Destination,
  type MessageType,
  type OutgoingMessage,
  type SendingClient,
  type Site,
  audiencePart,
  channelsOf,
  holdAudiences,
  isChannelType,
  tryAudiences,
} from "@carillon/model";
import { ApiError } from "@carillon/contract";
import { refused, type Company, type Tx, type Written } from "@carillon/db";
import { emit } from "@carillon/events";

import { checkMessages } from "./check.ts";
import { copiesOf } from "./copies.ts";
import { isUserInterface } from "./read-by-sender.ts";
import { sendDestinations, type SendTo } from "./send-destination.ts";
import { sendChecked } from "./send-checked.ts";
import type { SentMessage } from "./send.ts";

export interface SendInput {
  readonly type: MessageType;
  readonly to: SendTo | undefined;
  readonly topic: string | undefined;
  readonly content: string;
  /** The widget that is sent with it, as JSON. */
  readonly widget?: string | undefined;
  readonly readBySender: boolean | undefined;
  /** Local echo; both or nothing. */
  readonly queueId: string | undefined;
  readonly localId: string | undefined;
}

/** A message that somebody wants to send now. */
export interface SendRequest {
  readonly actor: Account;
  readonly client: SendingClient;
  readonly input: SendInput;
}

/** Copies that one transaction writes at most, unless one message has more: they take 20 to 100 ms. */
const copiesAtOnce = 10_000;

/**
 * Sends messages of one organization (scheduled-messages.md §6), with as many statements as for one. All of them see the
 * state of one moment, in which the audiences of their channels are held, and each what those before it begin. One whose
 * audience is being changed waits apart; one to a topic's participants goes alone, because they depend on who has sent
 * there before.
 */
export async function sendTogether(
  tx: Tx,
  site: Site,
  requests: readonly SendRequest[],
  company: Company,
): Promise<Array<Written<SentMessage>>> {
  const realmId = requests[0]!.actor.realmId;
  const destinations = await sendDestinations(
    tx,
    realmId,
    requests.map(({ actor, input: { type, to } }) => ({
      sender: actor,
      toChannel: isChannelType(type),
      to,
    })),
  );
  const settled = requests.map(({ actor }, i): Written<never> | undefined => {
    const destination = destinations[i]!;
    if (destination instanceof ApiError) return refused(destination);
    return apart(partsOf(actor, destination), (part) => company.isAwaited(part));
  });
  const drafts = requests.flatMap(({ actor, input: { topic, content, widget } }, i) => {
    const destination = destinations[i]!;
    return settled[i] || destination instanceof ApiError
      ? []
      : [{ senderId: actor.id, destination, topic, content, widget }];
  });
  if (drafts.length === 0) return settled.flatMap((each) => each ?? []);
  const channelIds = channelsOf(drafts.map(({ destination }) => destination));
  const senderIds = [...new Set(drafts.map(({ senderId }) => senderId))];
  const [missed, { realm, results }] = await Promise.all([
    company.mayWait
      ? holdAudiences(tx, channelIds, senderIds).then(() => new Set<number>())
      : tryAudiences(tx, channelIds, senderIds),
    checkMessages(tx, site, realmId, drafts),
  ]);

  const outgoing: OutgoingMessage[] = [];
  let room = copiesAtOnce;
  let next = 0;
  const places = requests.map((request, i): Written<number> => {
    const known = settled[i];
    if (known) return known;
    const result = results[next]!;
    const { destination } = drafts[next++]!;
    if (room <= 0) return { kind: "later" };
    const waiting = apart(partsOf(request.actor, destination), (part) => missed.has(part));
    if (waiting) {
      // What comes after it may have been let through because of it.
      room = 0;
      return waiting;
    }
    if (result instanceof ApiError) return refused(result);
    const copies = roomFor(result);
    if (outgoing.length > 0 && copies > room) {
      room = 0;
      return { kind: "later" };
    }
    room -= copies;
    return { kind: "done", result: outgoing.push(outgoingFrom(request, result)) - 1 };
  });
  const { sent, events } =
    outgoing.length > 0 ? await sendChecked(tx, realm, outgoing) : { sent: [], events: [] };
  emit(tx, realmId, events);
  return places.map((place) =>
    place.kind === "done" ? { kind: "done", result: sent[place.result]! } : place,
  );
}

function apart(
  parts: readonly number[],
  isAwaited: (part: number) => boolean,
): Written<never> | undefined {
  const awaits = parts.find(isAwaited);
  return awaits === undefined ? undefined : { kind: "apart", awaits };
}

/** The parts of the organization that are held while it is sent. */
function partsOf({ id }: Account, destination: Destination): number[] {
  return destination.kind === "channel"
    ? [audiencePart(destination.channelId), audiencePart(id)]
    : [audiencePart(id)];
}

/** How much room a message takes; one that nothing else goes together with takes more than there is. */
function roomFor(message: CheckedMessage): number {
  return message.rendered.topicWildcard ? Number.POSITIVE_INFINITY : copiesOf(message);
}

function outgoingFrom(
  { client, input: { readBySender, queueId, localId } }: SendRequest,
  message: CheckedMessage,
): OutgoingMessage {
  return {
    clientId: client.id,
    clientName: client.name,
    readBySender: readBySender ?? isUserInterface(client.name),
    ...message,
    ...(queueId !== undefined && localId !== undefined ? { local: { queueId, localId } } : {}),
  };
}
