import {
  type Account,
  type MessageType,
  type Realm,
  type SendingClient,
  type Site,
  checkNewTopicVisible,
  checkTopicsPolicy,
  existingTopics,
  hasInvisibleCharacters,
  isChannelType,
  loadPostingChannels,
  loadRealm,
  normaliseTopic,
  scheduledDestination,
} from "@carillon/model";
import { type Condition, errors } from "@carillon/contract";
import { inOneStatement, statement, type Tx } from "@carillon/db";
import { deliveryScheduled, scheduledKind } from "@carillon/scheduling";
import { emit } from "@carillon/events";

import { checkMessage } from "../messages/send/check.ts";
import { checkPlace, checkUnless, type Conditions } from "./conditions.ts";
import { recipientOf } from "./create.ts";
import { checkDueTime } from "./due-time.ts";
import { checkPendingBound, countPending } from "./pending-bound.ts";
import { scheduledEvents } from "./scheduled-events.ts";
import { destinationOf, lockOwnScheduled, type ScheduledRow } from "./row.ts";
import { isPlannedOccurrence, lockSeriesOf, planAfterDetached } from "./series/detach.ts";

/** Absent fields keep their values. */
export interface EditInput {
  readonly type: MessageType | undefined;
  readonly to: number | readonly number[] | undefined;
  readonly content: string | undefined;
  readonly topic: string | undefined;
  /** UNIX seconds */
  readonly deliverAt: number | undefined;
  /** An empty list removes all conditions. */
  readonly unless?: readonly Condition[] | undefined;
}

/**
 * Edits a scheduled message (scheduled-messages.md §2). Locks the row as the delivery does: an edit that races the
 * delivery is either sent or rejected. A new time schedules a failed message again. Editing an occurrence of a series
 * changes only that occurrence, and the series plans the next one.
 * @throws ApiError in the order of the section's table; 404 `BAD_REQUEST` if the account has no scheduled message with
 *   this id
 */
export async function editScheduled(
  tx: Tx,
  site: Site,
  actor: Account,
  client: SendingClient,
  id: number,
  input: EditInput,
): Promise<void> {
  checkShape(input);
  const realm = await loadRealm(tx, actor.realmId);
  if (input.deliverAt !== undefined) checkDueTime(input.deliverAt, realm);
  const row = await lockOwnScheduled(tx, actor.id, scheduledKind.sendLater, id);
  if (!row) throw errors.notFound404(`You have no scheduled message ${id}`);
  if (row.delivered) throw errors.badRequest("This message has been sent already");
  if (row.failed && input.deliverAt === undefined)
    throw errors.badRequest(
      "This message could not be sent: give it a new scheduled_delivery_timestamp",
    );
  const series = isPlannedOccurrence(row) ? await lockSeriesOf(tx, row) : undefined;
  const detached = row.seriesId !== null;
  const changes = await changedMessage(tx, site, realm, actor, row, input);
  const unless = await changedConditions(tx, realm, actor, { ...row, ...changes }, input.unless);
  // The occurrence counts as a message of its own from now on.
  if (series)
    await checkPendingBound(tx, actor.id, (await countPending(tx, [actor.id])).get(actor.id) ?? 0);
  const next = { ...row, ...changes, clientId: client.id, unless, detached };
  const edited = await store(tx, next, input.deliverAt);
  emit(tx, realm.id, [scheduledEvents.update(edited)]);
  tx.publishAfterCommit(deliveryScheduled, {
    realmId: realm.id,
    scheduledMessageId: id,
    version: edited.version,
    deliverAt: edited.deliverAt,
  });
  if (series) await planAfterDetached(tx, site, realm, actor.id, series, row);
}

/** Rejects input that is invalid for every row. */
function checkShape({ type, to, content, topic, deliverAt, unless }: EditInput): void {
  if ([type, to, content, topic, deliverAt, unless].every((value) => value === undefined))
    throw errors.badRequest(
      "Nothing to change: give type, to, content, topic, scheduled_delivery_timestamp or unless",
    );
  if (type !== undefined && to === undefined)
    throw errors.badRequest("to is required with type: it names the recipients");
  if (type !== undefined && isChannelType(type) && topic === undefined)
    throw errors.badRequest("topic is required for channel messages");
}

type Changes = Partial<Omit<ScheduledRow, "id">> & {
  recipientId?: number;
  hasAttachment?: boolean;
};

/** Returns the columns that the edit changes, checked as if the message were sent now. */
async function changedMessage(
  tx: Tx,
  site: Site,
  realm: Realm,
  actor: Account,
  row: ScheduledRow,
  input: EditInput,
): Promise<Changes> {
  const { type, to, content, topic } = input;
  const toChannel = type === undefined ? row.channelId !== null : isChannelType(type);
  if (type === undefined && to === undefined && content === undefined)
    return toChannel && topic !== undefined ? changedTopic(tx, realm.id, row, topic) : {};
  const { message } = await checkMessage(tx, site, actor, {
    destination: to === undefined ? destinationOf(row) : scheduledDestination(toChannel, to),
    topic: topic ?? row.topic,
    topicIsStored: topic === undefined || topic === row.topic,
    content: content ?? row.content,
  });
  const { target, rendered } = message;
  return {
    recipientId: await recipientOf(tx, realm, message),
    channelId: target.kind === "channel" ? target.channel.id : null,
    memberIds: target.kind === "direct" ? [...target.members] : null,
    topic: message.topic,
    content: message.content,
    renderedContent: rendered.html,
    hasAttachment: rendered.hasAttachment,
  };
}

/** Checks a new topic if the edit changes nothing else of the message. Leaves the permission to post to the delivery. */
async function changedTopic(
  tx: Tx,
  realmId: number,
  row: ScheduledRow,
  raw: string,
): Promise<Changes> {
  const [realm, channels] = await inOneStatement(tx, (one) =>
    Promise.all([loadRealm(one, realmId), loadPostingChannels(one, realmId, [row.channelId!], [])]),
  );
  const topic = normaliseTopic(raw, realm);
  const channel = channels.get(row.channelId!);
  if (channel) checkTopicsPolicy(topic, channel.topicsPolicy, realm);
  if (topic !== row.topic && hasInvisibleCharacters(topic)) {
    const existing = await existingTopics(tx, realmId, [{ channelId: row.channelId!, topic }]);
    if (existing.length === 0) checkNewTopicVisible(raw, topic);
  }
  return { topic };
}

/**
 * Returns the conditions of the edited message, and stores new ones. If the edit gives none, the message keeps its
 * conditions, which must suit its new channel or conversation.
 */
async function changedConditions(
  tx: Tx,
  realm: Realm,
  actor: Account,
  { id, channelId, unless }: ScheduledRow,
  asked: readonly Condition[] | undefined,
): Promise<Conditions> {
  const toChannel = channelId !== null;
  if (asked === undefined) {
    for (const condition of unless ?? []) checkPlace(condition, toChannel);
    return unless;
  }
  const checked = await checkUnless(tx, realm, { actor, unless: asked, toChannel });
  await tx.rows(storeConditions, [id, checked && JSON.stringify(checked)]);
  return checked;
}

const storeConditions = statement({
  name: "scheduled-conditions",
  text: "UPDATE scheduled_messages SET unless = $2::jsonb WHERE id = $1",
});

async function store(
  tx: Tx,
  row: ScheduledRow & Changes,
  deliverAt: number | undefined,
): Promise<ScheduledRow> {
  const prisma = await tx.prisma();
  const { recipientId, hasAttachment } = row;
  const stored = await prisma.scheduledMessage.update({
    where: { id: row.id },
    data: {
      ...(recipientId === undefined ? {} : { recipientId }),
      ...(hasAttachment === undefined ? {} : { hasAttachment }),
      channelId: row.channelId,
      topic: row.topic,
      content: row.content,
      renderedContent: row.renderedContent,
      clientId: row.clientId,
      ...(deliverAt === undefined ? {} : { deliverAt: new Date(deliverAt * 1_000) }),
      version: { increment: 1 },
      enqueuedAt: null,
      detached: row.detached,
      failed: false,
      failureMessage: null,
      attempts: 0,
      retryAt: null,
    },
    select: { version: true },
  });
  return {
    ...row,
    version: stored.version,
    deliverAt: deliverAt ?? row.deliverAt,
    failed: false,
  };
}
