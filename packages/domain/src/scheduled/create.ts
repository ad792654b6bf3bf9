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
import { ApiError } from "@carillon/contract";
import { refused, scheduledKind, type Company, type Tx, type Written } from "@carillon/db";
import { emit } from "@carillon/events";

import { attempt } from "../messages/send/attempt.ts";
import { checkMessages } from "../messages/send/check.ts";
import { openConversations } from "../sight/new-conversations.ts";
import { isUserInterface } from "../messages/send/read-by-sender.ts";
import { checkDueTime } from "./due-time.ts";
import { insertScheduled, type NewScheduledRow } from "./insert.ts";
import { checkPendingBound, countPending, isNearPendingBound } from "./pending-bound.ts";
import { scheduledEvents } from "./record.ts";

export interface ScheduleInput {
  readonly type: MessageType;
  readonly to: number | readonly number[];
  readonly content: string;
  readonly topic: string | undefined;
  /** UNIX seconds */
  readonly deliverAt: number;
  readonly readBySender: boolean | undefined;
}

/** A message that somebody wants to be sent later. */
export interface ScheduleRequest {
  readonly actor: Account;
  readonly client: SendingClient;
  readonly input: ScheduleInput;
  /** As the log names it, for who looks the message up. */
  readonly requestId?: string;
}

/** One that may be scheduled. */
interface Accepted {
  readonly request: ScheduleRequest;
  readonly message: CheckedMessage;
}

/**
 * Schedules messages of one organization (scheduled-messages.md §1), with as many statements as for one: checks each as
 * if it were sent now, stores it with its alarm, and tells its sender. Those of an account that is near its bound wait
 * apart and are counted one by one.
 * @returns of each the id of the scheduled message, or a refusal of §0.4
 * @throws ApiError the refusal of one that goes alone, where it has written something
 */
export async function scheduleTogether(
  tx: Tx,
  site: Site,
  requests: readonly ScheduleRequest[],
  company: Company,
): Promise<Array<Written<number>>> {
  const realmId = requests[0]!.actor.realmId;
  const destinations = requests.map(({ input: { type, to } }) =>
    attempt(() => scheduledDestination(isChannelType(type), to)),
  );
  const drafts = requests.flatMap(({ actor, input: { topic, content } }, i) => {
    const destination = destinations[i]!;
    return destination instanceof ApiError
      ? []
      : [{ senderId: actor.id, destination, topic, content }];
  });
  if (drafts.length === 0) return destinations.map((error) => refused(error as ApiError));
  const [{ realm, results }, pending] = await Promise.all([
    checkMessages(tx, site, realmId, drafts),
    countPending(
      tx,
      drafts.map(({ senderId }) => senderId),
    ),
  ]);

  const accepted: Accepted[] = [];
  let next = 0;
  const places = requests.map((request, i): Written<number> => {
    const { actor, input } = request;
    const destination = destinations[i]!;
    if (destination instanceof ApiError) return refused(destination);
    const result = results[next++]!;
    if (company.isAwaited(actor.id)) return { kind: "apart", awaits: actor.id };
    const late = attempt(() => checkDueTime(input.deliverAt, realm));
    if (late instanceof ApiError) return refused(late);
    if (result instanceof ApiError) return refused(result);
    const counted = pending.get(actor.id) ?? 0;
    if (!company.mayWait && isNearPendingBound(counted)) return { kind: "apart", awaits: actor.id };
    if (!company.mayWait) pending.set(actor.id, counted + 1);
    return { kind: "done", result: accepted.push({ request, message: result }) - 1 };
  });
  const ids = await store(tx, realm, accepted, company.mayWait ? pending : undefined);
  return places.map((place) =>
    place.kind === "done" ? { kind: "done", result: ids[place.result]! } : place,
  );
}

/**
 * Stores them, and tells their senders; the ids are in the order given.
 * @param pending how many the senders have, where they are to be kept from having too many
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

function rowOf({ request, message }: Accepted, recipientId: number): NewScheduledRow {
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
  };
}

/** The recipient row of a checked message; a conversation's is made when it is new, of which those are told whom it shows others. */
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
  if (id === undefined) throw new Error("a conversation without its recipient");
  return id;
}

function isToSelf({ target }: CheckedMessage): boolean {
  return target.kind === "direct" && target.members.length === 1;
}
