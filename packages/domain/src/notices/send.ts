import type { NewEvent } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  bulletList,
  channelLink,
  notice,
  type Notice,
  paragraph,
  silentGroup,
  silentUser,
  told,
} from "@carillon/markdown";
import {
  type Account,
  holdAudiences,
  isPublic,
  loadAccounts,
  loadPostingChannels,
  loadRealm,
  type OutgoingMessage,
  type Realm,
  loadAfter,
} from "@carillon/model";

import { composeNotice, directTo, systemBot } from "../messages/send/notice.ts";
import { sendMessages } from "../messages/send/send.ts";

const announcementTopic = "new channels";

/**
 * Announces a new channel in the organization's channel for that (channels.md §4). Says nothing when there is none
 * any more, when it is archived, or when the new channel has become private or archived meanwhile.
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
      // A change that makes the new channel private comes before, or after: then it was public when it was announced.
      holdAudiences(tx, ids),
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

const stillSubscribed = statement({
  name: "names-of-channels-subscribed",
  text: `SELECT c.name FROM channels c JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $2 AND s.active
    WHERE c.id = ANY($1::int[]) AND NOT c.is_archived ORDER BY lower(c.name)`,
  row: { name: column.text },
});

/**
 * Tells somebody, in a direct message from the notification bot, that another has subscribed them to channels
 * (channels.md §8). Says nothing when one of the two is gone, or none of the channels is theirs any more.
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
        bulletList(channels.map(({ name }) => told(name))),
      ),
    }),
  ]);
  emit(tx, realmId, events);
}

const groupName = statement({
  name: "group-name",
  text: "SELECT name FROM named_user_group WHERE realm_id = $1 AND id = $2",
  row: { name: column.text },
});

/**
 * Tells people, each in a direct message from the notification bot, that somebody has added them to a user group or
 * removed them from it (user-groups.md §5.5). Nothing to those who are deactivated by now.
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
  const said = notice(
    wanted.change === "added"
      ? paragraph`${who} added you to the user group ${which}.`
      : paragraph`${who} removed you from the user group ${which}.`,
  );
  const messages: OutgoingMessage[] = [];
  for (const id of wanted.userIds) {
    const user = accounts.get(id);
    if (!user?.isActive) continue;
    messages.push(await composeNotice(tx, { bot, target: directTo(bot, user), notice: said }));
  }
  if (messages.length === 0) return;
  const { events } = await sendMessages(tx, realm, messages);
  emit(tx, realmId, events);
}

/**
 * Sends new people, each, a direct message of the welcome bot: a terminal client does not start for an account that
 * can see no message at all (clients.md §2.3).
 * @returns its events, for the transaction's one `emit`
 */
export async function welcome(
  tx: Tx,
  realm: Realm,
  people: readonly Account[],
): Promise<readonly NewEvent[]> {
  const bot = await systemBot(tx, realm.id, "welcome");
  const messages: OutgoingMessage[] = [];
  for (const person of people) {
    const said = welcomeNotice(person);
    messages.push(await composeNotice(tx, { bot, target: directTo(bot, person), notice: said }));
  }
  return (await sendMessages(tx, realm, messages)).events;
}

function welcomeNotice(person: Account): Notice {
  return notice(
    paragraph`Welcome, ${silentUser(person)}!`,
    paragraph`This is a direct message: nobody else sees it. What a team talks about is in channels, and every message there has a topic, so that you can follow one conversation and leave the others for later.`,
  );
}
