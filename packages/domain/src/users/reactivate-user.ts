import { errors, type NewEvent } from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  loadAccountAudience,
  checkAdministers,
  checkBotName,
  currentActor,
  groupEvents,
  type ListingGroupSetting,
  loadChannels,
  loadGroupValues,
  loadListingGroupSettings,
  loadMetadataAudiences,
  loadRealm,
  lockAccountWithOwner,
  lockGroupGraph,
  markSubscriber,
  canCreateBot,
  noSuchUser,
  personUpdated,
  realmUpdatedEvents,
  recordAudit,
  type Site,
  loadAfter,
} from "@carillon/model";

import { archivedAmong, channelPropertyEvent } from "../channel-events/channel-events.ts";
import { peerEvents } from "../channel-events/peer-events.ts";
import { visibilityBySubscriptions } from "../user-visibility/visibility-events.ts";
import { renewBotKey } from "./api-key.ts";
import { botWithNewOwner } from "./change-role.ts";
import {
  lockSeriesOfDeactivated,
  resumeSeriesOfReactivated,
} from "../scheduled/series/resume-reactivated.ts";
import { groupsOfAccount } from "./insert-user.ts";

/**
 * Reactivates an account, person or bot, for an administrator (users.md §5), with its key, role, subscriptions and
 * groups. The bots of a person stay deactivated. A bot whose owner is deactivated gets the actor as owner, and another
 * key. Has no effect on an active account.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function reactivateUser(
  tx: Tx,
  site: Site,
  actor: Account,
  userId: number,
): Promise<void> {
  const {
    found: { account: target, owner },
    now,
  } = await loadAfter(lockGroupGraph(tx, actor.realmId), {
    found: lockAccountWithOwner(tx, actor.realmId, userId),
    now: currentActor(tx, actor),
  });
  if (!target) throw noSuchUser();
  checkAdministers(now, target);
  if (target.isActive) return;
  const newOwner = target.isBot ? await checkBot(tx, now, target, owner) : undefined;
  await activate(tx, site, actor.id, target, newOwner);
}

/**
 * Reactivates a deactivated account, as {@link reactivateUser} does. The account and the group graph must be locked.
 * @param actorId null for an operator, who must not reactivate bots
 * @param newOwner of a bot, if it gets another owner
 */
export async function activate(
  tx: Tx,
  site: Site,
  actorId: number | null,
  target: Account,
  newOwner?: number,
): Promise<void> {
  const { realmId } = target;
  const pausedSeries = await lockSeriesOfDeactivated(tx, target.id);
  // deactivated_at stays: a registration compares it with its snapshot (packages/events/src/queues.ts).
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: target.id },
    data: { isActive: true, ...(newOwner !== undefined && { botOwnerId: newOwner }) },
    select: { id: true },
  });
  const subscribed = await markSubscriber(tx, target, true);
  recordAudit(tx, realmId, actorId, [
    {
      type: "user_reactivated",
      userId: target.id,
      ...(newOwner === undefined ? {} : { data: { bot_owner_id: newOwner } }),
    },
  ]);
  if (newOwner !== undefined) await renewBotKey(tx, site, newOwner, target);
  const [audiences, rejoined, settings] = await Promise.all([
    loadMetadataAudiences(
      tx,
      realmId,
      subscribed.map(({ channelId }) => channelId),
    ),
    rejoinedGroups(tx, target.id),
    listingSettingEvents(tx, realmId, target.id),
  ]);
  const realm = await loadRealm(tx, realmId);
  const gained = await visibilityBySubscriptions(tx, realm, subscribed, "gained");
  // Accounts that see it only through its channels receive it as an active account anyway.
  const audience = await loadAccountAudience(tx, target, { byChannel: false });
  const roles =
    newOwner === undefined ? [] : await botWithNewOwner(tx, { ...target, isActive: true });
  emit(tx, realmId, [
    personUpdated(target.id, { is_active: true }, audience),
    ...gained,
    ...(newOwner === undefined ? [] : [personUpdated(target.id, { bot_owner_id: newOwner })]),
    ...peerEvents(
      "peer_add",
      subscribed,
      audiences,
      archivedAmong(subscribed.map(({ channelId: id, isArchived }) => ({ id, isArchived }))),
    ),
    ...rejoined,
    ...settings,
    ...roles,
  ]);
  await resumeSeriesOfReactivated(tx, site, target, pausedSeries);
}

/**
 * Checks that the actor may reactivate the bot.
 * @returns the new owner; undefined if the bot keeps its owner
 * @throws ApiError `BAD_REQUEST`
 */
async function checkBot(
  tx: Tx,
  actor: Account,
  bot: Account,
  owner: Account | undefined,
): Promise<number | undefined> {
  const realm = await loadRealm(tx, actor.realmId);
  if (!(await canCreateBot(tx, realm, actor, bot.botType)))
    throw errors.badRequest(
      "You may not reactivate this bot, because you may not create such bots",
    );
  await checkBotName(tx, realm, bot.fullName);
  if (bot.botOwnerId !== (owner?.id ?? null))
    throw errors.badRequest("The bot has just been given another owner: try again");
  if (owner?.isActive) return undefined;
  if (actor.isBot) throw errors.badRequest("The bot's owner is deactivated: a person must do this");
  return actor.id;
}

async function rejoinedGroups(tx: Tx, userId: number): Promise<NewEvent[]> {
  const groups = await tx.rows(groupsOfAccount, [userId]);
  return groups.flatMap((group) => groupEvents.membersAdded(group, [userId]));
}

/**
 * Makes the events of the group settings that list an account directly, with their current values. Clients get the values
 * without deactivated accounts, so deactivating or reactivating the account changes them (user-groups.md §6).
 */
export async function listingSettingEvents(
  sql: Sql,
  realmId: number,
  userId: number,
): Promise<NewEvent[]> {
  const settings = await loadListingGroupSettings(sql, realmId, userId);
  if (settings.length === 0) return [];
  const idsOf = (scope: ListingGroupSetting["scope"]) => [
    ...new Set(settings.filter((each) => each.scope === scope).map(({ ownerId }) => ownerId)),
  ];
  const [valueOf, channels, audiences, deactivated] = await Promise.all([
    loadGroupValues(
      sql,
      settings.map(({ groupId }) => groupId),
    ),
    loadChannels(sql, realmId, idsOf("channel")),
    loadMetadataAudiences(sql, realmId, idsOf("channel")),
    deactivatedAmong(sql, idsOf("group")),
  ]);
  const ofScope = (scope: ListingGroupSetting["scope"]) =>
    settings
      .filter((each) => each.scope === scope)
      .map(({ ownerId, name, groupId }) => ({ ownerId, name, value: valueOf(groupId) }));
  return [
    ...ofScope("group").map(({ ownerId, name, value }) =>
      groupEvents.updated(
        { id: ownerId, deactivated: deactivated.has(ownerId) },
        { [name]: value },
      ),
    ),
    ...ofScope("channel").flatMap(({ ownerId, name, value }) => {
      const channel = channels.get(ownerId);
      if (!channel) return [];
      return [channelPropertyEvent(channel, name, value, [...(audiences.get(ownerId) ?? [])])];
    }),
    ...realmUpdatedEvents(
      Object.fromEntries(ofScope("realm").map(({ name, value }) => [name, value])),
    ),
  ];
}

const deactivatedOf = statement({
  name: "deactivated-groups-among",
  text: "SELECT id FROM named_user_group WHERE id = ANY($1::int[]) AND deactivated",
});

async function deactivatedAmong(sql: Sql, groupIds: readonly number[]): Promise<Set<number>> {
  const rows = await sql.rows(deactivatedOf, [groupIds]);
  return new Set(rows.map(({ id }) => id));
}
