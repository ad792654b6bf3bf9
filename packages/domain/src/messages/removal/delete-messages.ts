import { channelPermissions, errors, realmPermissions } from "@carillon/contract";
import { type Database, statement, inOneStatement, type Transacts, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type AccessibleMessage,
  type Account,
  type Channel,
  type ChannelNeed,
  currentActor,
  hasProtectedHistory,
  isPast,
  isOrganizationAdministrator,
  loadAccounts,
  loadMemberships,
  loadRealm,
  lockMessageAfter,
  namedTopic,
  recordAudit,
  requireChannel,
} from "@carillon/model";

import { lockChannelsAndAudiences } from "./locked-channels.ts";
import type { RemovalRun } from "./removal-run.ts";
import { firstThatFit, maxMessagesOfChannel } from "./removal-size.ts";
import { removeMessages } from "./remove-messages.ts";
import { runRemoval } from "./run-removal.ts";

/**
 * Deletes a message for its sender, or for an account that may delete others' messages (messages.md §6.4).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 */
export function deleteMessage(db: Transacts<void>, account: Account, id: number): Promise<void> {
  return runRemoval(db, (tx, blockSends) => deleteOne(tx, account, id, blockSends));
}

async function deleteOne(tx: Tx, account: Account, id: number, blockSends: boolean): Promise<void> {
  const { realmId } = account;
  const held = await lockMessageAfter(tx, account, id, (channelIds) =>
    lockChannelsAndAudiences(tx, realmId, channelIds, blockSends),
  );
  const { actor, message, place } = held;
  await assertCanDelete(tx, actor, message);
  const { channelId } = message;
  const run = { realmId, channelId, cause: "message", actorId: actor.id } as const;
  const { events } = await removeMessages(tx, run, place, [id]);
  emit(tx, realmId, events);
}

/** A topic as a request names it. */
interface TopicToDelete {
  readonly channelId: number;
  readonly topic: string;
}

/** Milliseconds after which no further batch starts (channels.md §7). */
const defaultBudgetMs = 10_000;

const need: ChannelNeed = { access: "content", archived: false };

/**
 * Deletes a topic for an administrator who may read the channel (channels.md §7): the newest messages first, in
 * batches. Each batch is one transaction and checks all permissions again. Messages sent meanwhile stay. With protected
 * history, deletes only messages that the administrator has received.
 * @param budgetMs time after which no further batch starts
 * @returns false if messages may be left
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`; earlier batches stay deleted
 */
export async function deleteTopic(
  db: Database,
  account: Account,
  named: TopicToDelete,
  budgetMs = defaultBudgetMs,
): Promise<boolean> {
  const end = performance.now() + budgetMs;
  let next: Next = {
    before: Number.MAX_SAFE_INTEGER,
    run: {
      realmId: account.realmId,
      channelId: named.channelId,
      cause: "topic",
      actorId: account.id,
    },
  };
  for (;;) {
    const { before, run } = next;
    const done = await runRemoval(db, (tx, blockSends) =>
      removeNewest(tx, account, named, { before, run }, blockSends),
    );
    if (!done.next) return true;
    if (performance.now() >= end) return false;
    next = done.next;
  }
}

/** State between two batches. */
interface Next {
  /** Only messages with a lower id. */
  readonly before: number;
  readonly run: RemovalRun;
}

async function removeNewest(
  tx: Tx,
  account: Account,
  { channelId, topic }: TopicToDelete,
  { before, run }: Next,
  blockSends: boolean,
): Promise<{ readonly next?: Next }> {
  // Lock only channels that the account can see.
  await requireChannel(tx, account, channelId, need);
  const lockedChannels = await lockChannelsAndAudiences(
    tx,
    account.realmId,
    [channelId],
    blockSends,
  );
  const actor = await currentActor(tx, account);
  if (!isOrganizationAdministrator(actor))
    throw errors.unauthorizedPrincipal("Only administrators may delete topics");
  const channel = await requireChannel(tx, actor, channelId, need);
  const name = await namedTopic(tx, actor.realmId, topic);
  const size = await maxMessagesOfChannel(tx, channel.id);
  const found = await lockNewest(tx, actor, channel, { name, before, size });
  const ids = (await firstThatFit(tx, found.toReversed())).toReversed();
  const { run: now, count, events } = await removeMessages(tx, run, lockedChannels, ids);
  if (run.id === undefined && count > 0)
    recordAudit(tx, actor.realmId, actor.id, [
      { type: "topic_deleted", data: { stream_id: channel.id, removal_id: now.id } },
    ]);
  emit(tx, actor.realmId, events);
  const [oldest] = ids;
  const more = found.length === size || ids.length < found.length;
  return oldest !== undefined && more ? { next: { before: oldest, run: now } } : {};
}

const newest = statement({
  name: "newest-of-topic-for-removal",
  text: `WITH newest AS (
      SELECT m.id FROM messages m
      WHERE m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND m.is_channel
        AND lower(m.topic) = lower($2) AND m.id < $3
        AND ($5::int IS NULL
          OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = $5 AND um.message_id = m.id))
      ORDER BY m.id DESC LIMIT $4
    )
    SELECT m.id FROM messages m
    WHERE m.id = ANY(ARRAY(SELECT id FROM newest))
      AND m.recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND lower(m.topic) = lower($2)
    ORDER BY m.id FOR NO KEY UPDATE OF m`,
});

/** Locks the newest messages of the topic that the administrator may read; ids ascending. */
async function lockNewest(
  tx: Tx,
  actor: Account,
  channel: Channel,
  { name, before, size }: { name: string; before: number; size: number },
): Promise<number[]> {
  const receiver = hasProtectedHistory(channel) ? actor.id : null;
  const values = [channel.id, name, before, size, receiver];
  const rows = await tx.lock({ name: "messages" }, newest, values);
  return rows.map(({ id }) => id);
}

/**
 * Checks that the account may delete the message (messages.md §6.4). The caller must have locked the group graph and the
 * message.
 * @throws ApiError `BAD_REQUEST`
 */
async function assertCanDelete(
  tx: Tx,
  actor: Account,
  { channel, senderId, sentAt }: AccessibleMessage,
): Promise<void> {
  const [realm, memberships, accounts] = await inOneStatement(tx, (one) =>
    Promise.all([
      loadRealm(one, actor.realmId),
      loadMemberships(one, [actor.id]),
      loadAccounts(one, actor.realmId, [senderId]),
    ]),
  );
  const holds = (name: "canDeleteAnyMessageGroup" | "canDeleteOwnMessageGroup") =>
    memberships.holds(actor, realmPermissions[name], realm.groups[name]) ||
    (channel !== undefined &&
      memberships.holds(actor, channelPermissions[name], channel[`${name}Id`]));

  if (holds("canDeleteAnyMessageGroup")) return;
  const sender = accounts.get(senderId);
  const isOwn = senderId === actor.id || (sender?.isBot === true && sender.botOwnerId === actor.id);
  if (!isOwn || !holds("canDeleteOwnMessageGroup"))
    throw errors.badRequest("You may not delete this message");
  if (isPast(realm.now - sentAt, realm.contentDeleteLimit))
    throw errors.badRequest(
      `You can delete your own messages only within ${realm.contentDeleteLimit} seconds of sending`,
    );
}
