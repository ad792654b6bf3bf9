import {
  type Account,
  type CheckedMessage,
  type MessageType,
  type SendingClient,
  type Site,
  ensureDirectRecipients,
  isChannelType,
  memberKey,
  scheduledDestination,
} from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { checkMessages, onlyMessage } from "../messages/send/check.ts";
import { isUserInterface } from "../messages/send/read-by-sender.ts";
import { checkDueTime } from "./due-time.ts";
import { checkPendingBound, countPending } from "./pending-bound.ts";
import { scheduledEvents } from "./record.ts";
import type { ScheduledRow } from "./row.ts";

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
 * Schedules a message (scheduled-messages.md §1): checks it as if it were sent now, stores it, tells its sender,
 * and leaves its alarm to be set after the commit.
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
    recipientOf(tx, realm.id, message),
    checkPendingBound(tx, actor.id, pending),
  ]);
  const readBySender = input.readBySender ?? (isUserInterface(client.name) && !isToSelf(message));
  const row = await insert(tx, realm.id, message, { recipientId, client, readBySender, input });
  emit(tx, realm.id, [scheduledEvents.add(row)]);
  tx.leave("alarm", {
    realmId: realm.id,
    scheduledMessageId: row.id,
    version: 1,
    deliverAt: input.deliverAt,
  });
  return row.id;
}

/** The recipient row of a checked message; a conversation's is made when it is new. */
export async function recipientOf(
  tx: Tx,
  realmId: number,
  { target }: CheckedMessage,
): Promise<number> {
  if (target.kind === "channel") return target.channel.recipientId;
  const directs = await ensureDirectRecipients(tx, realmId, [target.members]);
  return directs.get(memberKey(target.members))!;
}

function isToSelf({ target }: CheckedMessage): boolean {
  return target.kind === "direct" && target.members.length === 1;
}

const store = statement({
  name: "scheduled-insert",
  text: `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
      rendered_content, client_id, deliver_at, read_by_sender, has_attachment)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9), $10, $11) RETURNING id`,
  row: { id: column.bigint },
});

async function insert(
  tx: Tx,
  realmId: number,
  { sender, target, topic, content, rendered }: CheckedMessage,
  more: { recipientId: number; client: SendingClient; readBySender: boolean; input: ScheduleInput },
): Promise<ScheduledRow> {
  const channelId = target.kind === "channel" ? target.channel.id : null;
  const [row] = await tx.rows(store, [
    realmId,
    sender.id,
    more.recipientId,
    channelId,
    topic,
    content,
    rendered.html,
    more.client.id,
    more.input.deliverAt,
    more.readBySender,
    rendered.hasAttachment,
  ]);
  return {
    id: row!.id,
    senderId: sender.id,
    channelId,
    memberIds: target.kind === "direct" ? [...target.members] : null,
    topic,
    content,
    renderedContent: rendered.html,
    clientId: more.client.id,
    deliverAt: more.input.deliverAt,
    version: 1,
    readBySender: more.readBySender,
    delivered: false,
    failed: false,
  };
}
