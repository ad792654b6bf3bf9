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

import {
  lockPlaces,
  maxRemoved,
  removal,
  type RemovalRun,
  removeMessages,
} from "./remove-messages.ts";

/**
 * Deletes a message for its sender, or for an account that may delete others' messages (messages.md §6.4).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 */
export function deleteMessage(db: Transacts<void>, account: Account, id: number): Promise<void> {
  return removal(db, (tx, blockSends) => deleteOne(tx, account, id, blockSends));
}

async function deleteOne(tx: Tx, account: Account, id: number, blockSends: boolean): Promise<void> {
  const { realmId } = account;
  const held = await lockMessageAfter(tx, account, id, (channelIds) =>
    lockPlaces(tx, realmId, channelIds, blockSends),
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
    const done = await removal(db, (tx, blockSends) =>
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
  const places = await lockPlaces(tx, account.realmId, [channelId], blockSends);
  const actor = await currentActor(tx, account);
  if (!isOrganizationAdministrator(actor))
    throw errors.unauthorizedPrincipal("Only administrators may delete topics");
  const channel = await requireChannel(tx, actor, channelId, need);
  const name = await namedTopic(tx, actor.realmId, topic);
  const size = await messagesAtOnce(tx, channel.id);
  const found = await lockNewest(tx, actor, channel, { name, before, size });
  const ids = (await firstAtOnce(tx, found.toReversed())).toReversed();
  const { run: now, count, events } = await removeMessages(tx, run, places, ids);
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

/** Maximum copies that one transaction removes: about a tenth of a second. */
const maxCopies = 20_000;

const holders = statement({
  name: "possible-holders",
  text: "SELECT count(*)::int AS count FROM subscriptions WHERE channel_id = $1",
});

/** Returns how many messages of a channel one transaction removes: fewer if more accounts have copies. */
export async function messagesAtOnce(tx: Tx, channelId: number): Promise<number> {
  const row = await tx.first(holders, [channelId]);
  const each = Math.max(1, row?.count ?? 0);
  return Math.min(maxRemoved, Math.max(1, Math.floor(maxCopies / each)));
}

/** Maximum reactions and submessages that one transaction removes: about a tenth of a second. */
const maxReactions = 20_000;

const dependentRows = statement({
  name: "put-on-messages",
  text: `SELECT id, sum(count)::int AS count FROM (
      SELECT message_id AS id, count(*) FROM reactions WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))) GROUP BY 1
      UNION ALL
      SELECT message_id, count(*) FROM submessages WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))) GROUP BY 1
    ) counted GROUP BY id`,
});

/** Returns the first of the messages, as many as one transaction can remove with their reactions and submessages. */
export async function firstAtOnce(tx: Tx, ids: readonly number[]): Promise<readonly number[]> {
  const rows = await tx.rows(dependentRows, [ids]);
  const counts = new Map(rows.map(({ id, count }) => [id, count]));
  return ids.slice(0, howManyAtOnce(ids.map((id) => counts.get(id) ?? 0)));
}

/**
 * Returns how many messages one transaction removes, given the number of reactions and submessages of each; at least
 * one.
 */
export function howManyAtOnce(counts: readonly number[]): number {
  let sum = 0;
  const end = counts.findIndex((count, n) => (sum += count) > maxReactions && n > 0);
  return end < 0 ? counts.length : end;
}
