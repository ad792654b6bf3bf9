import { errors, groupOfRole, isGuest, isOwner, type NewEvent, roles } from "@carillon/contract";
import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  type Account,
  accountColumns,
  accountOverrides,
  type AuditEntry,
  botsFollowingOwner,
  lockAccountAudience,
  checkOwnerIsNoGuest,
  checkOwnerRemains,
  defaultChannelsEvent,
  groupEvents,
  loadRealm,
  loadSystemGroups,
  noDefaultChannelsEvent,
  personUpdated,
  pictureUpdated,
  type Realm,
  roleOfFormerGuestBots,
  type Viewer,
  visibilitiesSeenBy,
} from "@carillon/model";

import { channelsSeenEvents, loadChannelsSeen } from "../channel-events/channels-seen.ts";
import { visibilityByRole } from "../user-visibility/visibility-events.ts";
import { watchAdministeredBots } from "./bots-of-user.ts";
import { isPastWaitingPeriod } from "./promote-members.ts";

/**
 * Checks that the actor may give the account another role (users.md §3.2). If the account is an owner, the owner set
 * must be locked.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function checkNewRole(
  tx: Tx,
  actor: Account,
  target: Account,
  role: number,
): Promise<void> {
  const ownersConcern = role === roles.owner || isOwner(target);
  if (ownersConcern && !isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners can give or take the owner's role");
  if (target.isBot && role !== roles.guest) await checkOwnerIsNoGuest(tx, target);
  await checkOwnerRemains(tx, target);
  if (isGuest(target) && role <= roles.administrator)
    throw errors.badRequest("A guest cannot become an administrator: make it a member first");
}

/**
 * Whether the new role (undefined for no change) gives a bot the power of owners (users.md §5). Its key must change
 * then, because administrators or an owner of the bot with a lesser role may know it.
 */
export function gainsPowerOfOwners(target: Account, role: number | undefined): boolean {
  return target.isBot && role === roles.owner && !isOwner(target);
}

const storeRole = statement({
  name: "roles-store",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE users u SET role = $2 FROM held WHERE u.id = held.id`,
});

/**
 * Gives accounts a role and the resulting memberships (user-groups.md §2), with as many statements for a person's
 * hundred bots as for one account. The group graph must be locked.
 * @param targets the accounts before the change, with other roles
 * @returns the events: roles, groups, and, for the accounts themselves, the channels, bots and addresses that they gain
 * or lose
 */
export async function changeRoles(
  tx: Tx,
  realm: Realm,
  targets: readonly Account[],
  role: number,
): Promise<NewEvent[]> {
  if (targets.length === 0) return [];
  // A deactivated account is in no list of members, and receives no channel events.
  const active = targets.filter(({ isActive }) => isActive);
  const [groups, seen, botsNow] = await Promise.all([
    loadSystemGroups(tx, realm.id),
    loadChannelsSeen(tx, realm.id, active),
    watchAdministeredBots(tx, realm.id, targets, role),
  ]);
  const groupOf = (of: number) => groups[groupOfRole[of] ?? "role:everyone"];
  const full = groups["role:fullmembers"];
  const becomesFull = (target: Account) =>
    role === roles.member && isPastWaitingPeriod(realm, target);
  const leaving = targets.flatMap((target) => [
    { id: target.id, groupId: groupOf(target.role) },
    ...(becomesFull(target) ? [] : [{ id: target.id, groupId: full }]),
  ]);
  const joining = targets.flatMap((target) => [
    { id: target.id, groupId: groupOf(role) },
    ...(becomesFull(target) ? [{ id: target.id, groupId: full }] : []),
  ]);
  const ids = targets.map(({ id }) => id);
  const [left, joined] = await Promise.all([
    tx.rows(leave, columnsOf(leaving)),
    tx.rows(join, columnsOf(joining)),
    tx.lock({ name: "accounts", keys: ids }, storeRole, [ids, role]),
  ]);
  const visibilityEvents = await visibilityByRole(tx, realm, active, role);
  const listed = new Set(active.map(({ id }) => id));
  const moved = (what: "membersRemoved" | "membersAdded", rows: Membership[], inFull: boolean) => {
    const byGroup = new Map<number, number[]>();
    for (const { id, groupId } of rows)
      if (listed.has(id) && (groupId === full) === inFull)
        byGroup.set(groupId, [...(byGroup.get(groupId) ?? []), id]);
    return [...byGroup].flatMap(([id, ids]) => groupEvents[what]({ id, deactivated: false }, ids));
  };
  return [
    ...(await roleEvents(tx, targets, role)),
    // Gained accounts come before the events that refer to them, lost accounts after these.
    ...visibilityEvents.gained,
    ...moved("membersRemoved", left, false),
    ...moved("membersAdded", joined, false),
    ...moved("membersRemoved", left, true),
    ...moved("membersAdded", joined, true),
    ...(await channelsSeenEvents(
      tx,
      realm.id,
      active.map((target) => ({ ...target, role })),
      seen,
    )),
    ...(await botsNow()),
    ...(await roleVisibilityEvents(tx, realm.id, active, role)),
    ...visibilityEvents.lost,
  ];
}

/**
 * Gives an account a role, and its bots the role that follows from it. The group graph and the accounts must be locked.
 * @returns the events, and the entries of the audit log
 */
export async function changeRoleWithBots(
  tx: Tx,
  realm: Realm,
  target: Account,
  role: number,
): Promise<{ events: NewEvent[]; audit: AuditEntry[] }> {
  const bots = await botsFollowingOwner(tx, target, role);
  const botRole = role === roles.guest ? role : roleOfFormerGuestBots;
  const events = await changeRoles(tx, realm, [target], role);
  events.push(...(await changeRoles(tx, realm, bots, botRole)));
  const entry = ({ id, role: old }: Account, now: number): AuditEntry => ({
    type: "user_role_changed",
    userId: id,
    data: { old, new: now },
  });
  return { events, audit: [entry(target, role), ...bots.map((bot) => entry(bot, botRole))] };
}

async function roleEvents(tx: Tx, targets: readonly Account[], role: number): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  // The targets are one person, or bots. For a bot this runs no statement, because every account can see bots.
  for (const target of targets)
    events.push(personUpdated(target.id, { role }, await lockAccountAudience(tx, target)));
  return events;
}

type Membership = RowOf<typeof leave>;

function columnsOf(memberships: readonly Membership[]) {
  return [memberships.map(({ id }) => id), memberships.map(({ groupId }) => groupId)];
}

const leave = statement({
  name: "system-groups-leave",
  text: `DELETE FROM user_group_member m USING unnest($1::int[], $2::int[]) AS w (user_id, group_id)
    WHERE m.user_id = w.user_id AND m.group_id = w.group_id RETURNING m.user_id AS id, m.group_id AS "groupId"`,
});

const join = statement({
  name: "system-groups-join",
  text: `INSERT INTO user_group_member (user_id, group_id) SELECT * FROM unnest($1::int[], $2::int[])
    ON CONFLICT DO NOTHING RETURNING user_id AS id, group_id AS "groupId"`,
});

/**
 * Makes the further events for accounts whose new role changes what they see (events.md §4): default channels and
 * addresses. The group graph must be locked, so that no account is created and no address visibility changes meanwhile.
 * @param targets active accounts with their previous roles
 * @param role the new role of all of them
 */
async function roleVisibilityEvents(
  sql: Sql,
  realmId: number,
  targets: readonly Viewer[],
  role: number,
): Promise<NewEvent[]> {
  const parts = await Promise.all([
    defaultChannelsSeen(sql, realmId, targets, role),
    addressesSeen(sql, realmId, targets, role),
  ]);
  return parts.flat();
}

/** Guests have no list of default channels. */
async function defaultChannelsSeen(
  sql: Sql,
  realmId: number,
  targets: readonly Viewer[],
  role: number,
): Promise<NewEvent[]> {
  const audience = targets
    .filter((target) => isGuest(target) !== (role === roles.guest))
    .map(({ id }) => id);
  if (audience.length === 0) return [];
  if (role === roles.guest) return [noDefaultChannelsEvent(audience)];
  return [await defaultChannelsEvent(sql, realmId, audience)];
}

/** Makes events for addresses that become visible or hidden, and for the pictures derived from them. */
async function addressesSeen(
  sql: Sql,
  realmId: number,
  targets: readonly Viewer[],
  role: number,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const oldRole of new Set(targets.map((target) => target.role))) {
    const [had, has] = [visibilitiesSeenBy(oldRole), visibilitiesSeenBy(role)];
    // Of two roles, one always sees all the addresses that the other sees.
    const gained = has.filter((visibility) => !had.includes(visibility));
    const changed = [...gained, ...had.filter((visibility) => !has.includes(visibility))];
    if (changed.length === 0) continue;
    const viewers = targets.filter((target) => target.role === oldRole).map(({ id }) => id);
    const ofAccounts = await inSlices(await accountsShowing(sql, realmId, changed), (account) => {
      // An account always sees its own address.
      const audience = viewers.filter((id) => id !== account.id);
      if (audience.length === 0) return [];
      const shown = gained.length > 0 ? account.deliveryEmail : null;
      return [
        personUpdated(account.id, { delivery_email: shown }, audience),
        ...(account.avatarSource === "G" ? [pictureUpdated(account, audience)] : []),
      ];
    });
    for (const ofAccount of ofAccounts) events.push(...ofAccount);
  }
  return events;
}

const withVisibility = statement({
  name: "people-with-address-visibility",
  text: `SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND NOT u.is_bot AND u.email_address_visibility = ANY($2::int[]) ORDER BY u.id`,
  overrides: accountOverrides,
});

/** Loads people, including deactivated ones, by `email_address_visibility`; bots' addresses are always visible. */
function accountsShowing(
  sql: Sql,
  realmId: number,
  visibilities: readonly number[],
): Promise<Account[]> {
  return sql.rows(withVisibility, [realmId, visibilities]);
}

/**
 * Ends the guest role of a bot that became a guest with its previous owner, because its new owner is not a guest
 * (users.md §3). The group graph must be locked.
 * @param bot in its current state
 * @returns the events
 */
export async function botWithNewOwner(tx: Tx, bot: Account): Promise<NewEvent[]> {
  const prisma = await tx.prisma();
  const { count } = await prisma.user.updateMany({
    where: { id: bot.id, guestWithOwner: true },
    data: { guestWithOwner: false },
  });
  if (count === 0) return [];
  const realm = await loadRealm(tx, bot.realmId);
  return changeRoles(tx, realm, [bot], roleOfFormerGuestBots);
}
