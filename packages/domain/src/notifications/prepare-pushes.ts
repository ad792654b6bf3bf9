import { roles } from "@carillon/contract";
import { notNull, type Sql, statement, type Tx } from "@carillon/db";
import type { PlannedPush, RemovePushesIntent } from "@carillon/jobs";
import {
  flag,
  pictureUrl,
  restrictsGuests,
  seesByChannel,
  sharesConversation,
  type Site,
  unknownName,
  unknownPicture,
} from "@carillon/model";

import { loadPushingRealm, loadTargets, type PushingRealm, type Target } from "./plan-pushes.ts";
import { loadGroupNames, loadPushedMessages, type PushedMessage } from "./pushed-messages.ts";

/** A notification for one device. */
export interface Notification {
  /** Index in the job's list of its push or removal. */
  readonly entry: number;
  readonly target: Target;
  readonly payload: Payload;
}

/** The content of one call of the bouncer. */
export interface PreparedCall {
  readonly realmUuid: string;
  /** Empty if there is nothing left to send. */
  readonly notifications: readonly Notification[];
  /** The messages that the call pushes. */
  readonly pushes: readonly PlannedPush[];
}

/**
 * Claims the pushes that are still due, and makes their notifications. The statements are pipelined. Each message is
 * read before the check whether its receiver can see it, so that a receiver never gets a content that was written after
 * they lost access.
 */
export async function preparePushes(
  tx: Tx,
  site: Pick<Site, "url">,
  realmId: number,
  pushes: readonly PlannedPush[],
): Promise<PreparedCall> {
  const messageIds = [...new Set(pushes.map(({ messageId }) => messageId))];
  const groupIds = pushes.flatMap(({ groupId }) => (groupId === undefined ? [] : [groupId]));
  const [realm, messages, targets, groups, claimed] = await Promise.all([
    loadPushingRealm(tx, site, realmId),
    loadPushedMessages(tx, realmId, messageIds),
    loadTargets(tx, usersOf(pushes)),
    loadGroupNames(tx, realmId, groupIds),
    claimPushes(tx, realmId, pushes),
  ]);
  const notifications = claimed.flatMap((push) => {
    const message = messages.get(push.messageId);
    if (!message) return [];
    const payload = messagePayload(site.url, realm, message, push, groups.get(push.groupId ?? 0));
    const { entry } = push;
    return (targets.get(push.userId) ?? []).map((target) => ({ entry, target, payload }));
  });
  return { realmUuid: realm.uuid, notifications, pushes: claimed };
}

/** Makes the notifications that remove messages from devices. */
export async function prepareRemovals(
  sql: Sql,
  site: Pick<Site, "url">,
  realmId: number,
  removals: RemovePushesIntent["removals"],
): Promise<PreparedCall> {
  const [realm, targets] = await Promise.all([
    loadPushingRealm(sql, site, realmId),
    loadTargets(sql, usersOf(removals)),
  ]);
  const notifications = removals.flatMap(({ userId, messageIds }, entry) => {
    const payload = removalPayload(realm, userId, messageIds);
    return (targets.get(userId) ?? []).map((target) => ({ entry, target, payload }));
  });
  return { realmUuid: realm.uuid, notifications, pushes: [] };
}

function usersOf(of: ReadonlyArray<{ readonly userId: number }>): number[] {
  return [...new Set(of.map(({ userId }) => userId))];
}

/** SQL: whether the account `u` is a guest who cannot see the sender of the message `m` (users.md §2.1). */
const unseenSender = `(SELECT u.role = ${roles.guest}
    AND EXISTS (SELECT FROM realms WHERE realms.id = $1 AND ${restrictsGuests})
    AND NOT (SELECT sender.is_bot FROM users sender WHERE sender.id = m.sender_id)
    AND NOT ${seesByChannel("u.id", "m.sender_id")} AND NOT ${sharesConversation("$1", "u.id", "m.sender_id")} OFFSET 0)`;

/**
 * `OFFSET 0` forces an index for each lookup, as in `push-candidates`. The update does not repeat the condition on
 * unread copies: with it, PostgreSQL would scan all unread copies in a nested loop.
 */
const claim = statement({
  name: "pushes-claim",
  text: `WITH wanted AS MATERIALIZED (
      SELECT w.place, w.user_id, w.message_id, u.role, ${unseenSender} AS unseen_sender
      FROM unnest($2::int[], $3::bigint[]) WITH ORDINALITY AS w (user_id, message_id, place)
      CROSS JOIN LATERAL (
        SELECT u.id, u.role FROM users u WHERE u.id = w.user_id AND u.realm_id = $1 AND u.is_active OFFSET 0) u
      CROSS JOIN LATERAL (
        SELECT m.is_channel, m.sender_id, r.channel_id FROM messages m JOIN recipients r ON r.id = m.recipient_id
        WHERE m.id = w.message_id AND m.realm_id = $1 OFFSET 0) m
      WHERE NOT m.is_channel OR EXISTS (
        SELECT FROM subscriptions s WHERE s.channel_id = m.channel_id AND s.user_id = w.user_id AND s.active OFFSET 0)
      ORDER BY w.user_id, w.message_id
    ), held AS MATERIALIZED (
      SELECT wanted.place, wanted.role, wanted.unseen_sender, um.user_id, um.message_id FROM wanted CROSS JOIN LATERAL (
        SELECT um.user_id, um.message_id FROM user_messages um
        WHERE um.user_id = wanted.user_id AND um.message_id = wanted.message_id AND um.flags & ${flag.read} = 0
        FOR NO KEY UPDATE) um
    ), marked AS (
      UPDATE user_messages um SET flags = um.flags | ${flag.activeMobilePush} FROM held
      WHERE um.user_id = held.user_id AND um.message_id = held.message_id
    )
    SELECT place::int, role, unseen_sender AS "unseenSender" FROM held ORDER BY place`,
  overrides: { place: notNull, unseenSender: notNull },
});

/** A message that is now pushed to an account. */
interface ClaimedPush extends PlannedPush {
  /** Index in the given list. */
  readonly entry: number;
  /** Role of the account: one of `roles`. */
  readonly role: number;
  /** Whether the account cannot see the message's sender. */
  readonly unseenSender: boolean;
}

/**
 * Marks the pushes that are still due as sent (push.md §9): the account is active, is subscribed to the message's
 * channel or in its conversation, and has not read the message. After the commit, reading a message removes it from the
 * devices. Accounts that unsubscribe or read it meanwhile get no push: unsubscribing marks messages read (channels.md
 * §11), which removes them from the devices too.
 * @returns the claimed pushes, in the order given
 */
async function claimPushes(
  tx: Tx,
  realmId: number,
  pushes: readonly PlannedPush[],
): Promise<ClaimedPush[]> {
  const userIds = pushes.map(({ userId }) => userId);
  const messageIds = pushes.map(({ messageId }) => messageId);
  const rows = await tx.lock({ name: "copies", fresh: true }, claim, [
    realmId,
    userIds,
    messageIds,
  ]);
  return rows.map(({ place, ...receiver }) => ({
    ...pushes[place - 1]!,
    ...receiver,
    entry: place - 1,
  }));
}

/** The content of a notification before encryption (push.md §9). */
type Payload = Readonly<Record<string, unknown>>;

/**
 * Makes the notification of a message.
 * @param siteUrl `PUBLIC_URL`
 * @param groupName name of the mentioned user group that contains the account
 */
function messagePayload(
  siteUrl: string,
  realm: PushingRealm,
  message: PushedMessage,
  { userId, role, unseenSender, groupId }: ClaimedPush,
  groupName: string | undefined,
): Payload {
  const { sender, id, time, content } = message;
  return {
    type: "message",
    ...common(realm, userId),
    message_id: id,
    time,
    sender_id: sender.id,
    sender_full_name: unseenSender ? unknownName : sender.fullName,
    sender_avatar_url: unseenSender
      ? unknownPicture(sender.id, siteUrl)
      : pictureUrl(siteUrl, sender.picture, { id: userId, role }),
    ...placeOf(realm, message),
    ...(groupId !== undefined && groupName !== undefined
      ? { mentioned_user_group_id: groupId, mentioned_user_group_name: groupName }
      : {}),
    content,
  };
}

/** Makes the notification that removes messages from the device. @param messageIds ascending */
function removalPayload(
  realm: PushingRealm,
  userId: number,
  messageIds: readonly number[],
): Payload {
  return { type: "remove", ...common(realm, userId), message_ids: messageIds };
}

function common({ url, name }: PushingRealm, userId: number) {
  return { realm_url: url, realm_name: name, user_id: userId };
}

function placeOf({ emptyTopicDisplayName }: PushingRealm, { place }: PushedMessage) {
  return place.kind === "direct"
    ? { recipient_type: "direct", recipient_user_ids: place.memberIds }
    : {
        recipient_type: "channel",
        channel_id: place.id,
        channel_name: place.name,
        topic: place.topic === "" ? emptyTopicDisplayName : place.topic,
      };
}

/** Maximum accounts of one call that removes messages from devices. */
export const accountsInRemoval = 100;

/** Maximum messages removed from a device at once, the newest ones (push.md §9). */
export const maxRemoved = 200;
