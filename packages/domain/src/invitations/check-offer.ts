import { errors, isGuest, maxWelcomeText, roles } from "@carillon/contract";
import { inOneStatement, statement, type Tx } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";
import {
  type Account,
  currentActor,
  findUserGroups,
  hasContentAccess,
  hasMetadataAccess,
  isOrganizationAdministrator,
  loadAfter,
  loadChannels,
  loadMemberships,
  loadRealm,
  loadSubscribedChannels,
  lockGroupGraphShared,
  noSuchChannel,
  type Realm,
  type Site,
} from "@carillon/model";

import { canAddOthers, checkSubscriptionBounds } from "../channels/add-subscriptions.ts";
import { mayAddMembers, noSuchGroup } from "../groups/open-group.ts";
import { renderText } from "../messages/send/render-text.ts";
import type { Offer } from "./make-links.ts";
import { type InvitePermission, mayGiveRole, mayInvite } from "./usable-links.ts";

/** The offer to new people that a request asks for. */
export interface WantedOffer {
  readonly role: number;
  readonly channelIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly includeDefaults: boolean;
  /** Undefined for the organization's text. */
  readonly welcomeText: string | undefined;
}

/** An account that may invite people with a role, and its organization; the transaction keeps roles and groups unchanged. */
export interface Inviter {
  readonly actor: Account;
  readonly realm: Realm;
}

/**
 * Checks that the account may invite people with the role (people.md §1), and keeps roles and groups from changing.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function openInviter(
  tx: Tx,
  account: Account,
  permission: InvitePermission,
  role: number,
): Promise<Inviter> {
  const { actor, realm } = await loadAfter(lockGroupGraphShared(tx, account.realmId), {
    actor: currentActor(tx, account),
    realm: loadRealm(tx, account.realmId),
  });
  checkIsNoGuest(actor);
  if (!(await mayInvite(tx, realm, actor, permission)))
    throw errors.badRequest("You may not invite people in this way");
  if (mayGiveRole(actor, role)) return { actor, realm };
  if (role === roles.owner) throw errors.unauthorizedPrincipal("Only owners can invite owners");
  throw errors.badRequest("Only administrators can invite administrators and moderators");
}

/**
 * Maximum rows of channels and groups that one request inserts. Roles and groups cannot change meanwhile, and 10,000 rows
 * took 1.0 to 1.5 s on a busy machine with two cores, most of it for their foreign keys.
 */
const maxRows = 4_000;

/** Rejects guests. @throws ApiError `BAD_REQUEST` */
export function checkIsNoGuest(account: Account): void {
  if (isGuest(account)) throw errors.badRequest("Guests cannot do this");
}

/**
 * Checks the channels, groups and text of an offer (people.md §1).
 * @param invitees number of links that will have the offer
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkOffer(
  tx: Tx,
  site: Site,
  inviter: Inviter,
  wanted: WantedOffer,
  invitees: number,
): Promise<Offer> {
  const channelIds = [...new Set(wanted.channelIds)];
  const groupIds = [...new Set(wanted.groupIds)];
  const rows = (channelIds.length + groupIds.length) * invitees;
  if (rows > maxRows)
    throw errors.badRequest(
      `channels and groups × addresses must not be more than ${maxRows} in one request; these are ${rows}`,
    );
  await checkChannels(tx, inviter, channelIds);
  await checkGroups(tx, inviter, groupIds);
  await checkText(tx, site, inviter.actor, wanted.welcomeText);
  const { role, includeDefaults, welcomeText = null } = wanted;
  return { role, channelIds, groupIds, includeDefaults, welcomeText };
}

const defaultsAmong = statement({
  name: "default-channels-among",
  text: `SELECT channel_id AS id FROM default_channels WHERE channel_id = ANY($1::int[])`,
});

/** Checks that the inviter may add people to the channels, whose state comes from one snapshot. */
async function checkChannels(
  tx: Tx,
  { actor, realm }: Inviter,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const [channels, memberships, subscribed, defaults] = await inOneStatement(tx, (one) =>
    Promise.all([
      loadChannels(one, realm.id, ids),
      loadMemberships(one, [actor.id]),
      loadSubscribedChannels(one, [actor.id]),
      one.rows(defaultsAmong, [ids]),
    ]),
  );
  const isDefault = new Set(defaults.map(({ id }) => id));
  for (const id of ids) {
    const channel = channels.get(id);
    const isSubscribed = subscribed(actor.id, id);
    if (
      !channel ||
      channel.isArchived ||
      !hasMetadataAccess(actor, channel, memberships, isSubscribed)
    )
      throw noSuchChannel(id);
    const mayAdd =
      isDefault.has(id) ||
      (hasContentAccess(actor, channel, memberships, isSubscribed) &&
        canAddOthers(realm, actor, channel, memberships));
    if (!mayAdd) throw errors.badRequest(`You may not subscribe others to ${channel.name}`);
  }
  checkSubscriptionBounds([...channels.values()], 1);
}

async function checkGroups(
  tx: Tx,
  { actor, realm }: Inviter,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const groups = await findUserGroups(tx, realm.id, ids);
  const memberships = await loadMemberships(tx, [actor.id]);
  for (const id of ids) {
    const group = groups.get(id);
    if (!group || group.deactivated) throw noSuchGroup();
    if (group.isSystemGroup)
      throw errors.badRequest("People join system groups by their role, not by an invitation");
    if (!mayAddMembers({ actor, realm, group, memberships }))
      throw errors.badRequest(`You may not add members to ${group.name}`);
  }
}

/** Checks the welcome text. Renders it too, because rendering rejects texts that no message can have. */
async function checkText(
  tx: Tx,
  site: Site,
  actor: Account,
  text: string | undefined,
): Promise<void> {
  if (text === undefined) return;
  if (!isOrganizationAdministrator(actor))
    throw errors.badRequest("Only administrators can set welcome_message_custom_text");
  if (isLongerThan(text, maxWelcomeText))
    throw errors.badRequest(
      `welcome_message_custom_text must not have more than ${maxWelcomeText} characters`,
    );
  if (text.trim() !== "") await renderText(tx, site, actor, text);
}
