import { type Audience, isOwner, type NewEvent } from "@carillon/contract";
import { sqlState, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  avatarSources,
  lockAccountAudience,
  type AuditEntry,
  checkAdministers,
  checkFullName,
  checkNameIsFree,
  currentActor,
  findAccount,
  hasPowerOfOwners,
  lockGroupGraphShared,
  lockOrganizationShared,
  loadRealm,
  lockAccount,
  lockAccountWithBots,
  lockGroupGraph,
  lockOwnerSet,
  noSuchUser,
  personUpdated,
  pictureUpdated,
  type Realm,
  recordAudit,
  type Site,
  loadAfter,
} from "@carillon/model";

import { deletePicturesOf, withoutAvatar } from "../pictures/avatars.ts";
import {
  checkProfileValues,
  type ProfileEntry,
  storeProfileValues,
} from "../profile-fields/values.ts";
import { renewBotKey } from "./api-key.ts";
import {
  addressTaken,
  changeAddress,
  checkAddressFor,
  assertCanChangeAddresses,
} from "./change-address.ts";
import { changeRoleWithBots, checkNewRole, gainsPowerOfOwners } from "./change-role.ts";

/** The changes that an administrator requests; undefined for no change. */
export interface UserChanges {
  readonly role: number | undefined;
  readonly fullName: string | undefined;
  readonly profileData: readonly ProfileEntry[] | undefined;
  readonly newEmail: string | undefined;
}

/**
 * Changes an account for an administrator (users.md §3); it may be deactivated or a bot.
 * @param named its id, or an e-mail address that the actor may see
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`; nothing has changed then
 */
export async function updateUser(
  tx: Tx,
  site: Site,
  actor: Account,
  named: number | string,
  changes: UserChanges,
): Promise<void> {
  const userId = typeof named === "number" ? named : (await findAccount(tx, actor, named))?.id;
  const open = await openUser(tx, actor, userId ?? 0, changes);
  const wanted = await checkChanges(tx, site, open, changes);
  const { events, audit } = await apply(tx, site, open, wanted).catch((error: unknown) => {
    throw sqlState(error) === "23505" ? addressTaken() : error;
  });
  recordAudit(tx, actor.realmId, actor.id, audit);
  emit(tx, actor.realmId, events);
}

/** A locked account and the actor, both in their current state. */
interface OpenUser {
  readonly realm: Realm;
  readonly actor: Account;
  readonly target: Account;
  /** The account's bots, including deactivated ones, if its role changes. */
  readonly bots: readonly Account[];
}

/**
 * Takes the locks of the change. Roles are memberships: changing one needs the group graph and the account's bots,
 * whose roles may follow. The audience of an address depends on roles. Profile values refer to fields of the
 * organization and to active people.
 */
async function openUser(
  tx: Tx,
  actor: Account,
  userId: number,
  { role, profileData, newEmail }: UserChanges,
): Promise<OpenUser> {
  const { realmId } = actor;
  const { account: target, bots } =
    role === undefined
      ? await loadAfter(
          (newEmail !== undefined || profileData) && lockGroupGraphShared(tx, realmId),
          { account: lockAccount(tx, realmId, userId), bots: [] as readonly Account[] },
        )
      : (
          await loadAfter(lockGroupGraph(tx, realmId), {
            locked: lockAccountWithBots(tx, realmId, userId),
          })
        ).locked;
  if (!target) throw noSuchUser();
  const { now, realm } = await loadAfter(
    role !== undefined && isOwner(target)
      ? lockOwnerSet(tx, realmId)
      : profileData && lockOrganizationShared(tx, realmId),
    {
      now: currentActor(tx, actor),
      realm: loadRealm(tx, actor.realmId),
    },
  );
  checkAdministers(now, target);
  return { realm, actor: now, target, bots };
}

/** The fields that actually change. */
interface ChangedFields {
  readonly role: number | undefined;
  readonly fullName: string | undefined;
  readonly profile: Awaited<ReturnType<typeof checkProfileValues>>;
  readonly address: string | undefined;
}

async function checkChanges(
  tx: Tx,
  site: Site,
  { realm, actor, target }: OpenUser,
  { role, fullName, profileData, newEmail }: UserChanges,
): Promise<ChangedFields> {
  if (newEmail !== undefined) assertCanChangeAddresses(actor);
  const newRole = role === target.role ? undefined : role;
  if (newRole !== undefined) await checkNewRole(tx, actor, target, newRole);
  const name = fullName === undefined ? undefined : await checkName(tx, realm, target, fullName);
  const profile = profileData ? await checkProfileValues(tx, target, profileData) : [];
  const address =
    newEmail === undefined ? undefined : await checkAddressFor(tx, site, realm, target, newEmail);
  return { role: newRole, fullName: name, profile, address };
}

/** Returns undefined for a blank name and for the current one. */
async function checkName(
  tx: Tx,
  realm: Realm,
  target: Account,
  text: string,
): Promise<string | undefined> {
  if (text.trim() === "" || text.trim() === target.fullName) return undefined;
  const name = checkFullName(text);
  await checkNameIsFree(tx, realm, name, target.id);
  return name;
}

async function apply(
  tx: Tx,
  site: Site,
  { realm, actor, target, bots: ownBots }: OpenUser,
  { role, fullName, profile, address }: ChangedFields,
): Promise<{ events: NewEvent[]; audit: AuditEntry[] }> {
  const events: NewEvent[] = [];
  const audit: AuditEntry[] = [];
  const note = (type: string, before: unknown, now: unknown) =>
    audit.push({ type, userId: target.id, data: { old: before, new: now } });
  if (role !== undefined) {
    const changed = await changeRoleWithBots(tx, realm, target, role);
    events.push(...changed.events);
    // An owner who loses the role knows the keys of these bots.
    const toRenew = isOwner(target) ? ownBots.filter(hasPowerOfOwners) : [];
    if (gainsPowerOfOwners(target, role)) toRenew.push(target);
    for (const bot of toRenew) await renewBotKey(tx, site, actor.id, bot);
    audit.push(...changed.audit);
  }
  if (fullName !== undefined) {
    const prisma = await tx.prisma();
    await prisma.user.update({
      where: { id: target.id },
      data: { fullName },
      select: { id: true },
    });
    events.push(
      personUpdated(target.id, { full_name: fullName }, await lockAccountAudience(tx, target)),
    );
    note("user_full_name_changed", target.fullName, fullName);
  }
  if (profile.length > 0) {
    events.push(...(await storeProfileValues(tx, target, profile)));
    const fields = profile.map(({ fieldId }) => fieldId);
    audit.push({ type: "user_profile_changed", userId: target.id, data: { fields } });
  }
  if (address !== undefined) {
    events.push(...(await changeAddress(tx, target, address)));
    note("user_email_changed", target.deliveryEmail, address);
  }
  return { events, audit };
}

/**
 * Deletes the name and the picture of a deactivated account (users.md §4); its address, profile values and settings
 * stay.
 * @param account locked by the transaction
 * @param audience accounts that can still see it
 * @returns the events
 */
export async function deleteProfile(
  tx: Tx,
  account: Account,
  audience: Audience,
): Promise<NewEvent[]> {
  const full_name = account.isBot ? "Deactivated bot" : "Deleted user";
  const pictured = account.avatarSource !== avatarSources.generated;
  const avatarVersion = pictured ? withoutAvatar(account).avatarVersion : account.avatarVersion;
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: account.id },
    data: {
      fullName: full_name,
      avatarSource: avatarSources.generated,
      avatarVersion,
      avatarFile: null,
    },
    select: { id: true },
  });
  await deletePicturesOf(tx, account.id);
  return [
    ...(account.fullName === full_name ? [] : [personUpdated(account.id, { full_name }, audience)]),
    ...(pictured ? [pictureUpdated(withoutAvatar(account), audience)] : []),
  ];
}
