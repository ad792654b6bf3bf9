import { roles } from "@carillon/contract";
import { column, type Sql, statement, type Tx } from "@carillon/db";
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

/** What one device is told. */
export interface Notification {
  /** Place in the intent's list of what it follows from. */
  readonly entry: number;
  readonly target: Target;
  readonly payload: Payload;
}

/** What one call of the bouncer is to say. */
export interface PreparedCall {
  readonly realmUuid: string;
  /** None where there is nothing to tell any more. */
  readonly notifications: readonly Notification[];
  /** The messages that are pushed by it. */
  readonly pushes: readonly PlannedPush[];
}

/**
 * Claims what is to be pushed, and makes the notifications of it. The statements are sent in one go; each message is read
 * before it is asked whether its receiver sees it, so that a receiver never gets a text that was written when they no longer saw the message.
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

/** Makes the notifications that take messages off devices. */
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

/** Whether the account `u` is a guest who does not see the sender of the message `m` (users.md §2.1). */
const unseenSender = `(SELECT u.role = ${roles.guest}
    AND EXISTS (SELECT FROM realms WHERE realms.id = $1 AND ${restrictsGuests})
    AND NOT (SELECT sender.is_bot FROM users sender WHERE sender.id = m.sender_id)
    AND NOT ${seesByChannel("u.id", "m.sender_id")} AND NOT ${sharesConversation("$1", "u.id", "m.sender_id")} OFFSET 0)`;

/**
 * Each look-up goes by its own index (`OFFSET 0`), as in `push-candidates`. What is held is unread: asked again by the
 * update, PostgreSQL would go through all that is unread, and compare each with each.
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
  row: { place: column.int, role: column.int, unseenSender: column.bool },
});

/** A message that is to be pushed to an account now. */
interface ClaimedPush extends PlannedPush {
  /** Its place among those that were given. */
  readonly entry: number;
  /** Of the account: one of `roles`. */
  readonly role: number;
  /** It does not see who has sent the message. */
  readonly unseenSender: boolean;
}

/**
 * Notes of those messages which are still to be pushed that they were (push.md §9): their accounts are active, see the
 * message in a channel that they are subscribed to, or in a conversation of theirs, and have not read it. From the commit
 * on, reading them takes them off the devices. Who is not subscribed any more, or reads meanwhile, gets nothing: what is
 * unread is marked as read for those who leave (channels.md §11), so that it goes off their devices, too.
 * @returns those, in the order given
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

/** What a device is told, before it is encrypted (push.md §9). */
type Payload = Readonly<Record<string, unknown>>;

/**
 * That there is a message.
 * @param siteUrl `PUBLIC_URL`
 * @param groupName of the user group that the account is mentioned as a member of
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

/** That messages are to go off the device. @param messageIds ascending */
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

/** From the devices of so many accounts messages are removed by one call. */
export const accountsInRemoval = 100;

/** So many messages go off a device at once, the newest (push.md §9). */
export const mostRemoved = 200;
