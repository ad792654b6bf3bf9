import type { NewEvent } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  bulletList,
  channelLink,
  inlineCode,
  notice,
  type Notice,
  paragraph,
  silentGroup,
  silentUser,
  verbatim,
} from "@carillon/markdown";
import {
  type Account,
  lockAudiencesShared,
  isPublic,
  loadAccounts,
  loadPostingChannels,
  loadRealm,
  type OutgoingMessage,
  type Realm,
  loadAfter,
} from "@carillon/model";

import { composeNotice, directTo } from "../messages/send/notice.ts";
import { systemBot } from "../messages/send/system-bot.ts";
import { sendMessages } from "../messages/send/send.ts";

const announcementTopic = "new channels";

/**
 * Announces a new channel in the organization's announcement channel (channels.md §4). Does nothing if there is no such
 * channel any more, if it is archived, or if the new channel has become private or archived.
 */
export async function sendChannelCreatedNotice(
  tx: Tx,
  realmId: number,
  wanted: { actorId: number; channelId: number },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const announcementsId = realm.newStreamAnnouncementsChannelId;
  if (announcementsId === null) return;
  const ids = [announcementsId, wanted.channelId];
  const { channels } = await loadAfter(
    [
      // Serializes with a change that makes the new channel private: the announcement comes before it or not at all.
      lockAudiencesShared(tx, ids),
    ],
    {
      channels: loadPostingChannels(tx, realmId, ids, []),
    },
  );
  const announcements = channels.get(announcementsId);
  const created = channels.get(wanted.channelId);
  const actor = (await loadAccounts(tx, realmId, [wanted.actorId])).get(wanted.actorId);
  if (!announcements || announcements.isArchived || !created || !actor) return;
  if (!isPublic(created) || created.isArchived) return;
  const bot = await systemBot(tx, realmId, "notification");
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, {
      bot,
      target: { kind: "channel", channel: announcements },
      topic: announcements.topicsPolicy === "empty_topic_only" ? "" : announcementTopic,
      notice: notice(paragraph`${silentUser(actor)} created the channel ${channelLink(created)}.`),
    }),
  ]);
  emit(tx, realmId, events);
}

const signupTopic = "signups";

/**
 * Announces a new person in the organization's channel for sign-ups (users.md §5). Does nothing if there is no such channel
 * any more, if it is archived, or if the person is gone.
 */
export async function sendSignupNotice(
  tx: Tx,
  realmId: number,
  wanted: { userId: number },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const channelId = realm.signupAnnouncementsChannelId;
  if (channelId === null) return;
  const { channels } = await loadAfter([lockAudiencesShared(tx, [channelId])], {
    channels: loadPostingChannels(tx, realmId, [channelId], []),
  });
  const channel = channels.get(channelId);
  const person = (await loadAccounts(tx, realmId, [wanted.userId])).get(wanted.userId);
  if (!channel || channel.isArchived || !person?.isActive) return;
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, {
      bot: await systemBot(tx, realmId, "notification"),
      target: { kind: "channel", channel },
      topic: channel.topicsPolicy === "empty_topic_only" ? "" : signupTopic,
      notice: notice(paragraph`${silentUser(person)} joined the organization.`),
    }),
  ]);
  emit(tx, realmId, events);
}

/**
 * Sends the maker of an invitation the notification bot's direct message that the person has joined (people.md §2). Does
 * nothing if either account is gone.
 */
export async function sendInvitationAcceptedNotice(
  tx: Tx,
  realmId: number,
  wanted: { makerId: number; userId: number },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const accounts = await loadAccounts(tx, realmId, [wanted.makerId, wanted.userId]);
  const maker = accounts.get(wanted.makerId);
  const person = accounts.get(wanted.userId);
  if (!maker?.isActive || !person) return;
  const bot = await systemBot(tx, realmId, "notification");
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, {
      bot,
      target: directTo(bot, maker),
      notice: notice(
        paragraph`${silentUser(person)} accepted your invitation and joined the organization.`,
      ),
    }),
  ]);
  emit(tx, realmId, events);
}

const stillSubscribed = statement({
  name: "names-of-channels-subscribed",
  text: `SELECT c.name FROM channels c JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $2 AND s.active
    WHERE c.id = ANY($1::int[]) AND NOT c.is_archived ORDER BY lower(c.name)`,
});

/**
 * Sends a person the notification bot's direct message that another has subscribed them to channels (channels.md §8).
 * Does nothing if either account is gone, or if no subscription is left.
 */
export async function sendSubscribedNotice(
  tx: Tx,
  realmId: number,
  wanted: { actorId: number; userId: number; channelIds: readonly number[] },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const accounts = await loadAccounts(tx, realmId, [wanted.actorId, wanted.userId]);
  const actor = accounts.get(wanted.actorId);
  const user = accounts.get(wanted.userId);
  const channels = await tx.rows(stillSubscribed, [wanted.channelIds, wanted.userId]);
  if (!actor || !user?.isActive || channels.length === 0) return;
  const bot = await systemBot(tx, realmId, "notification");
  const { events } = await sendMessages(tx, realm, [
    await composeNotice(tx, {
      bot,
      target: directTo(bot, user),
      notice: notice(
        paragraph`${silentUser(actor)} subscribed you to:`,
        bulletList(channels.map(({ name }) => verbatim(name))),
      ),
    }),
  ]);
  emit(tx, realmId, events);
}

const groupName = statement({
  name: "group-name",
  text: "SELECT name FROM named_user_group WHERE realm_id = $1 AND id = $2",
});

/**
 * Sends people the notification bot's direct message that they were added to a user group or removed from it
 * (user-groups.md §5.5). Skips deactivated accounts.
 */
export async function sendGroupMembershipNotices(
  tx: Tx,
  realmId: number,
  wanted: {
    actorId: number;
    groupId: number;
    userIds: readonly number[];
    change: "added" | "removed";
  },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const accounts = await loadAccounts(tx, realmId, [wanted.actorId, ...wanted.userIds]);
  const group = await tx.first(groupName, [realmId, wanted.groupId]);
  const actor = accounts.get(wanted.actorId);
  if (!actor || !group) return;
  const bot = await systemBot(tx, realmId, "notification");
  const [who, which] = [silentUser(actor), silentGroup({ ...group, id: wanted.groupId })];
  const text = notice(
    wanted.change === "added"
      ? paragraph`${who} added you to the user group ${which}.`
      : paragraph`${who} removed you from the user group ${which}.`,
  );
  const messages: OutgoingMessage[] = [];
  for (const id of wanted.userIds) {
    const user = accounts.get(id);
    if (!user?.isActive) continue;
    messages.push(await composeNotice(tx, { bot, target: directTo(bot, user), notice: text }));
  }
  if (messages.length === 0) return;
  const { events } = await sendMessages(tx, realm, messages);
  emit(tx, realmId, events);
}

/**
 * Sends each new person a direct message from the welcome bot: a terminal client does not start for an account without
 * any message (clients.md §2.3).
 * @param more messages that follow
 * @returns the events, for the transaction's single `emit`
 */
export async function welcome(
  tx: Tx,
  realm: Realm,
  people: readonly Account[],
  more: readonly OutgoingMessage[] = [],
): Promise<readonly NewEvent[]> {
  const bot = await systemBot(tx, realm.id, "welcome");
  const messages: OutgoingMessage[] = [];
  for (const person of people) {
    const text = welcomeNotice(person);
    messages.push(await composeNotice(tx, { bot, target: directTo(bot, person), notice: text }));
  }
  return (await sendMessages(tx, realm, [...messages, ...more])).events;
}

function welcomeNotice(person: Account): Notice {
  return notice(
    paragraph`Welcome, ${silentUser(person)}!`,
    paragraph`This is a direct message: nobody else sees it. What a team talks about is in channels, and every message there has a topic, so that you can follow one conversation and leave the others for later.`,
    paragraph`To send a message later, write to the Scheduling Bot, for example: ${inlineCode("send tomorrow 9:00 to #general > launch: Good morning!")} or ${inlineCode("every weekday at 9:00 to #general > standup: What do you plan today?")}. It answers ${inlineCode("help")} with all that it can do.`,
  );
}
