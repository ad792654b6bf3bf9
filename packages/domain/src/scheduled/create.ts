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
import { scheduledKind, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { checkMessages, onlyMessage } from "../messages/send/check.ts";
import { openConversations } from "../sight/new-conversations.ts";
import { isUserInterface } from "../messages/send/read-by-sender.ts";
import { checkDueTime } from "./due-time.ts";
import { insertScheduled } from "./insert.ts";
import { checkPendingBound, countPending } from "./pending-bound.ts";
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

/**
 * Schedules a message (scheduled-messages.md §1): checks it as if it were sent now, stores it with its alarm, and tells
 * its sender.
 * @returns the id of the scheduled message
 * @throws ApiError the refusals of §0.4; nothing is stored then
 */
export async function scheduleMessage(
  tx: Tx,
  site: Site,
  actor: Account,
  client: SendingClient,
  input: ScheduleInput,
): Promise<number> {
  const draft = {
    senderId: actor.id,
    destination: scheduledDestination(isChannelType(input.type), input.to),
    topic: input.topic,
    content: input.content,
  };
  const [{ realm, results }, pending] = await Promise.all([
    checkMessages(tx, site, actor.realmId, [draft]),
    countPending(tx, actor.id),
  ]);
  checkDueTime(input.deliverAt, realm);
  const message = onlyMessage(results);
  const [recipientId] = await Promise.all([
    recipientOf(tx, realm, message),
    checkPendingBound(tx, actor.id, pending),
  ]);
  const readBySender = input.readBySender ?? (isUserInterface(client.name) && !isToSelf(message));
  const { target, rendered } = message;
  const row = await insertScheduled(tx, realm.id, {
    kind: scheduledKind.sendLater,
    senderId: actor.id,
    recipientId,
    channelId: target.kind === "channel" ? target.channel.id : null,
    memberIds: target.kind === "direct" ? [...target.members] : null,
    topic: message.topic,
    content: message.content,
    renderedContent: rendered.html,
    clientId: client.id,
    deliverAt: input.deliverAt,
    readBySender,
    hasAttachment: rendered.hasAttachment,
    targetId: null,
    note: null,
  });
  emit(tx, realm.id, [scheduledEvents.add(row)]);
  return row.id;
}

/** The recipient row of a checked message; a conversation's is made when it is new, of which those are told whom it shows others. */
export async function recipientOf(
  tx: Tx,
  realm: Realm,
  { target }: CheckedMessage,
): Promise<number> {
  if (target.kind === "channel") return target.channel.recipientId;
  const { ids, events } = await openConversations(tx, realm, [target]);
  emit(tx, realm.id, events);
  return ids.get(memberKey(target.members))!;
}

function isToSelf({ target }: CheckedMessage): boolean {
  return target.kind === "direct" && target.members.length === 1;
}
