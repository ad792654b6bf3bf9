import {
  type Account,
  type CheckedMessage,
  type MessageType,
  type Realm,
  type SendingClient,
  type Site,
  isChannelType,
  memberKey,
  scheduledDestination,
} from "@carillon/model";
import { ApiError, type Condition } from "@carillon/contract";
import { scheduledKind } from "@carillon/scheduling";
import { type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { rejected, type BatchContext, type BatchOutcome } from "../batches/batch-outcome.ts";
import { attempt } from "../messages/send/attempt.ts";
import { checkMessages } from "../messages/send/check.ts";
import { openConversations } from "../user-visibility/new-conversations.ts";
import { isUserInterface } from "../messages/send/read-by-sender.ts";
import { checkConditions, type Conditions } from "./conditions.ts";
import { checkDueTime } from "./due-time.ts";
import { insertScheduled, type NewScheduledRow } from "./insert.ts";
import { checkPendingBound, countPending, isNearPendingBound } from "./pending-bound.ts";
import { scheduledEvents } from "./scheduled-events.ts";

export interface ScheduleInput {
  readonly type: MessageType;
  readonly to: number | readonly number[];
  readonly content: string;
  readonly topic: string | undefined;
  /** UNIX seconds */
  readonly deliverAt: number;
  readonly readBySender: boolean | undefined;
  readonly unless?: readonly Condition[] | undefined;
}

/** A request to schedule a message. */
export interface ScheduleRequest {
  readonly actor: Account;
  readonly client: SendingClient;
  readonly input: ScheduleInput;
  /** Its id in the log, by which the dashboard finds the message. */
  readonly requestId?: string;
}

/** A request that may be scheduled. */
interface Accepted {
  readonly request: ScheduleRequest;
  readonly message: CheckedMessage;
  readonly unless: Conditions;
}

/**
 * Schedules messages of one organization (scheduled-messages.md §1) with as many statements as for one message: checks
 * each as if it were sent now, stores it with its delivery job, and notifies its sender. Requests of an account that is
 * near the maximum of pending messages are serialized, so that each is counted before the next one.
 * @returns for each the id of the scheduled message, or why the message may not be sent (scheduled-messages.md §0.4)
 * @throws ApiError if the account of a serialized request has reached the maximum: the request may have created a
 *   conversation, so its transaction must be rolled back
 */
export async function scheduleBatch(
  tx: Tx,
  site: Site,
  requests: readonly ScheduleRequest[],
  context: BatchContext,
): Promise<Array<BatchOutcome<number>>> {
  const realmId = requests[0]!.actor.realmId;
  const destinations = requests.map(({ input: { type, to } }) =>
    attempt(() => scheduledDestination(isChannelType(type), to)),
  );
  const inputs = requests.flatMap(({ actor, input: { topic, content } }, i) => {
    const destination = destinations[i]!;
    return destination instanceof ApiError
      ? []
      : [{ senderId: actor.id, destination, topic, content }];
  });
  if (inputs.length === 0) return destinations.map((error) => rejected(error as ApiError));
  const [{ realm, results }, pending] = await Promise.all([
    checkMessages(tx, site, realmId, inputs),
    countPending(
      tx,
      inputs.map(({ senderId }) => senderId),
    ),
  ]);
  const conditions = await checkConditions(
    tx,
    realm,
    requests.map(({ actor, input: { type, unless } }) => ({
      actor,
      unless,
      toChannel: isChannelType(type),
    })),
  );

  const accepted: Accepted[] = [];
  let next = 0;
  /** The result of a committed request is its index in `accepted`. */
  const outcomes = requests.map((request, i): BatchOutcome<number> => {
    const { actor, input } = request;
    const destination = destinations[i]!;
    if (destination instanceof ApiError) return rejected(destination);
    const result = results[next++]!;
    if (context.isSerialized(actor.id)) return { kind: "serialize", key: actor.id };
    const checkedTime = attempt(() => checkDueTime(input.deliverAt, realm));
    if (checkedTime instanceof ApiError) return rejected(checkedTime);
    if (result instanceof ApiError) return rejected(result);
    const unless = conditions[i]!;
    if (unless instanceof ApiError) return rejected(unless);
    const counted = pending.get(actor.id) ?? 0;
    if (!context.canBlock) {
      if (isNearPendingBound(counted)) return { kind: "serialize", key: actor.id };
      pending.set(actor.id, counted + 1);
    }
    return { kind: "committed", result: accepted.push({ request, message: result, unless }) - 1 };
  });
  const ids = await store(tx, realm, accepted, context.canBlock ? pending : undefined);
  return outcomes.map((outcome) =>
    outcome.kind === "committed" ? { kind: "committed", result: ids[outcome.result]! } : outcome,
  );
}

/**
 * Stores the messages and notifies their senders; returns the ids in the order given.
 * @param pending how many messages each sender has pending; given if the bound is to be checked
 */
async function store(
  tx: Tx,
  realm: Realm,
  accepted: readonly Accepted[],
  pending: ReadonlyMap<number, number> | undefined,
): Promise<number[]> {
  if (accepted.length === 0) return [];
  const { ids, events } = await openConversations(
    tx,
    realm,
    accepted.flatMap(({ message: { target } }) => (target.kind === "direct" ? [target] : [])),
  );
  if (pending)
    for (const { request } of accepted)
      await checkPendingBound(tx, request.actor.id, pending.get(request.actor.id) ?? 0);
  const rows = await insertScheduled(
    tx,
    realm.id,
    accepted.map((each) => rowOf(each, recipientAmong(ids, each.message))),
  );
  emit(tx, realm.id, [...events, ...rows.map((row) => scheduledEvents.add(row))]);
  return rows.map(({ id }) => id);
}

function rowOf({ request, message, unless }: Accepted, recipientId: number): NewScheduledRow {
  const { actor, client, input, requestId } = request;
  const { target, rendered, topic, content } = message;
  return {
    kind: scheduledKind.sendLater,
    senderId: actor.id,
    recipientId,
    channelId: target.kind === "channel" ? target.channel.id : null,
    memberIds: target.kind === "direct" ? [...target.members] : null,
    topic,
    content,
    renderedContent: rendered.html,
    clientId: client.id,
    deliverAt: input.deliverAt,
    readBySender: input.readBySender ?? (isUserInterface(client.name) && !isToSelf(message)),
    hasAttachment: rendered.hasAttachment,
    requestId,
    targetId: null,
    note: null,
    unless,
  };
}

/**
 * Returns the recipient row of a checked message. Creates the row of a new conversation, and emits the events for users
 * who thereby become visible to each other.
 */
export async function recipientOf(tx: Tx, realm: Realm, message: CheckedMessage): Promise<number> {
  const { target } = message;
  if (target.kind === "channel") return target.channel.recipientId;
  const { ids, events } = await openConversations(tx, realm, [target]);
  emit(tx, realm.id, events);
  return recipientAmong(ids, message);
}

function recipientAmong(ids: ReadonlyMap<string, number>, { target }: CheckedMessage): number {
  if (target.kind === "channel") return target.channel.recipientId;
  const id = ids.get(memberKey(target.members));
  if (id === undefined) throw new Error("a conversation has no recipient row");
  return id;
}

function isToSelf({ target }: CheckedMessage): boolean {
  return target.kind === "direct" && target.members.length === 1;
}
