import {
  type Account,
  type CheckedMessage,
  type Destination,
  type MessageInput,
  type MessageType,
  type OutgoingMessage,
  type SendingClient,
  type Site,
  audiencePart,
  channelsOf,
  lockAudiencesShared,
  isChannelType,
  tryLockAudiencesShared,
} from "@carillon/model";
import { ApiError } from "@carillon/contract";
import type { Sql, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { rejected, type BatchContext, type BatchOutcome } from "../../batches/batch-outcome.ts";
import { checkMessages } from "./check.ts";
import { copiesOf } from "./copies.ts";
import { isUserInterface } from "./read-by-sender.ts";
import { findDestinations, type SendTo } from "./send-destination.ts";
import { sendChecked } from "./send-checked.ts";
import type { SentMessage } from "./send.ts";

export interface SendInput {
  readonly type: MessageType;
  readonly to: SendTo | undefined;
  readonly topic: string | undefined;
  readonly content: string;
  /** A widget attached to the message, as JSON. */
  readonly widget?: string | undefined;
  readonly readBySender: boolean | undefined;
  /** For local echo; both or neither. */
  readonly queueId: string | undefined;
  readonly localId: string | undefined;
  /** Whether a series sends the message: the scheduling bot runs no command in it. */
  readonly isAutomatic?: boolean | undefined;
  /** Binds the message to a key; a later request with the same key edits it (once-and-again.md §2). */
  readonly upsert?: Upsert | undefined;
}

export interface Upsert {
  readonly key: string;
  /** Undefined for a request that always applies. */
  readonly version: number | undefined;
}

/** A request to send a message now. */
export interface SendRequest {
  readonly actor: Account;
  readonly client: SendingClient;
  readonly input: SendInput;
}

/**
 * Maximum rows of `user_messages` that one transaction inserts, unless one message has more; they take 20 to 100 ms.
 */
const maxCopies = 10_000;

/**
 * Sends messages of one organization (scheduled-messages.md §6) with as many statements as for one message. All are
 * checked against one snapshot, taken while the audiences of their channels are locked; each also sees the topics and
 * conversations that earlier ones begin. A message whose audience is being changed is serialized. A message that
 * mentions a topic's participants ends its batch, because its receivers depend on who sent to the topic before.
 */
export async function sendBatch(
  tx: Tx,
  site: Site,
  requests: readonly SendRequest[],
  context: BatchContext,
): Promise<Array<BatchOutcome<SentMessage>>> {
  return sendToDestinations(tx, site, requests, await resolveDestinations(tx, requests), context);
}

/** Resolves the destinations of requests of one organization. Returns an error in the place of each rejected destination. */
export function resolveDestinations(
  sql: Sql,
  requests: readonly SendRequest[],
): Promise<Array<Destination | ApiError>> {
  return findDestinations(
    sql,
    requests[0]!.actor.realmId,
    requests.map(({ actor, input: { type, to } }) => ({
      sender: actor,
      toChannel: isChannelType(type),
      to,
    })),
  );
}

/** Sends messages whose destinations are known: the second half of {@link sendBatch}. */
export async function sendToDestinations(
  tx: Tx,
  site: Site,
  requests: readonly SendRequest[],
  destinations: ReadonlyArray<Destination | ApiError>,
  context: BatchContext,
): Promise<Array<BatchOutcome<SentMessage>>> {
  if (requests.length === 0) return [];
  const realmId = requests[0]!.actor.realmId;
  const early = requests.map(({ actor }, i): BatchOutcome<never> | undefined => {
    const destination = destinations[i]!;
    if (destination instanceof ApiError) return rejected(destination);
    return serializeBy(partsOf(actor, destination), (part) => context.isSerialized(part));
  });
  const candidates = requests.flatMap((request, i): Candidate[] => {
    const destination = destinations[i]!;
    return early[i] || destination instanceof ApiError ? [] : [{ request, destination }];
  });
  if (candidates.length === 0) return early.flatMap((outcome) => outcome ?? []);
  const inputs = candidates.map(inputOf);
  const channelIds = channelsOf(inputs.map(({ destination }) => destination));
  const senderIds = [...new Set(inputs.map(({ senderId }) => senderId))];
  const [missed, { realm, results }] = await Promise.all([
    context.canBlock
      ? lockAudiencesShared(tx, channelIds, senderIds).then(() => new Set<number>())
      : tryLockAudiencesShared(tx, channelIds, senderIds),
    checkMessages(tx, site, realmId, inputs),
  ]);
  const { outcomes, outgoing } = decideOutcomes(
    candidates,
    results,
    missed,
    context.maxCopies ?? maxCopies,
  );
  const { sent, events } =
    outgoing.length > 0 ? await sendChecked(tx, realm, outgoing) : { sent: [], events: [] };
  emit(tx, realmId, events);
  const settled = outcomes.map((outcome): BatchOutcome<SentMessage> =>
    outcome.kind === "committed" ? { kind: "committed", result: sent[outcome.result]! } : outcome,
  );
  let next = 0;
  return early.map((outcome) => outcome ?? settled[next++]!);
}

/** A request whose outcome depends on the check of its message. */
interface Candidate {
  readonly request: SendRequest;
  readonly destination: Destination;
}

function inputOf({ request: { actor, input }, destination }: Candidate): MessageInput {
  const { topic, content, widget } = input;
  return { senderId: actor.id, destination, topic, content, widget };
}

/**
 * Selects the messages that the transaction sends. The others are rejected, serialized, or left for a later transaction.
 * @param results of the checks of the candidates
 * @param missed audience locks that the transaction could not take
 * @param limit maximum copies of the messages, unless the first has more
 * @returns the outcome of each candidate. The result of a committed candidate is the index of its message in `outgoing`.
 */
function decideOutcomes(
  candidates: readonly Candidate[],
  results: ReadonlyArray<CheckedMessage | ApiError>,
  missed: ReadonlySet<number>,
  limit: number,
): { outcomes: Array<BatchOutcome<number>>; outgoing: OutgoingMessage[] } {
  const outgoing: OutgoingMessage[] = [];
  let copiesLeft = limit;
  const outcomes = candidates.map(({ request, destination }, i): BatchOutcome<number> => {
    if (copiesLeft <= 0) return { kind: "retryLater" };
    const serialized = serializeBy(partsOf(request.actor, destination), (part) => missed.has(part));
    if (serialized) {
      // The checks of later messages assumed that this one begins its topic.
      copiesLeft = 0;
      return serialized;
    }
    const result = results[i]!;
    if (result instanceof ApiError) return rejected(result);
    const copies = countCopies(result);
    if (outgoing.length > 0 && copies > copiesLeft) {
      copiesLeft = 0;
      return { kind: "retryLater" };
    }
    copiesLeft -= copies;
    return { kind: "committed", result: outgoing.push(outgoingFrom(request, result)) - 1 };
  });
  return { outcomes, outgoing };
}

function serializeBy(
  parts: readonly number[],
  isUnavailable: (part: number) => boolean,
): BatchOutcome<never> | undefined {
  const key = parts.find(isUnavailable);
  return key === undefined ? undefined : { kind: "serialize", key };
}

/** Returns the audience locks that the message needs: its sender's and its channel's. */
function partsOf({ id }: Account, destination: Destination): number[] {
  return destination.kind === "channel"
    ? [audiencePart(destination.channelId), audiencePart(id)]
    : [audiencePart(id)];
}

/** Counts the rows that the message writes; infinite for a message that must be the last of its batch. */
function countCopies(message: CheckedMessage): number {
  return message.rendered.topicWildcard ? Number.POSITIVE_INFINITY : copiesOf(message);
}

function outgoingFrom(
  { client, input: { readBySender, queueId, localId, isAutomatic = false } }: SendRequest,
  message: CheckedMessage,
): OutgoingMessage {
  return {
    clientId: client.id,
    clientName: client.name,
    readBySender: readBySender ?? isUserInterface(client.name),
    isAutomatic,
    ...message,
    ...(queueId !== undefined && localId !== undefined ? { local: { queueId, localId } } : {}),
  };
}
