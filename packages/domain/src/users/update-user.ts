import { type Audience, isOwner, type NewEvent, roles } from "@carillon/contract";
import { sqlState, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  audienceSeeing,
  type AuditEntry,
  botsThatFollow,
  checkAdministers,
  checkFullName,
  checkNameIsFree,
  currentActor,
  findAccount,
  hasPowerOfOwners,
  holdGroupGraph,
  holdOrganization,
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
  roleOfBotsComingBack,
  type Site,
  loadAfter,
} from "@carillon/model";

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
  checkMayChangeAddresses,
} from "./change-address.ts";
import { changeRoles, checkNewRole, gainsPowerOfOwners } from "./change-role.ts";

/** What an administrator wants changed; undefined where nothing. */
export interface UserChanges {
  readonly role: number | undefined;
  readonly fullName: string | undefined;
  readonly profileData: readonly ProfileEntry[] | undefined;
  readonly newEmail: string | undefined;
}

/**
 * Changes an account on behalf of an administrator (users.md §3), deactivated ones and bots too.
 * @param named its id, or an e-mail address by which the actor knows it
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

/** An account in the hands of the transaction, and who changes it, both as they are by now. */
interface OpenUser {
  readonly realm: Realm;
  readonly actor: Account;
  readonly target: Account;
  /** The bots of the account, deactivated ones too, where its role is to change. */
  readonly bots: readonly Account[];
}

/**
 * Roles are memberships: who changes one takes the group graph, and the account's bots, which may follow. Who is told of
 * an address follows from roles. Profile values name fields of the organization, and people who are active.
 */
async function openUser(
  tx: Tx,
  actor: Account,
  userId: number,
  { role, profileData, newEmail }: UserChanges,
): Promise<OpenUser> {
  const { realmId } = actor;
  const [, { account: target, bots }] = await (role === undefined
    ? Promise.all([
        (newEmail !== undefined || profileData) && holdGroupGraph(tx, realmId),
        lockAccount(tx, realmId, userId).then((account) => ({ account, bots: [] })),
      ])
    : Promise.all([lockGroupGraph(tx, realmId), lockAccountWithBots(tx, realmId, userId)]));
  if (!target) throw noSuchUser();
  const { now, realm } = await loadAfter(
    role !== undefined && isOwner(target)
      ? lockOwnerSet(tx, realmId)
      : profileData && holdOrganization(tx, realmId),
    {
      now: currentActor(tx, actor),
      realm: loadRealm(tx, actor.realmId),
    },
  );
  checkAdministers(now, target);
  return { realm, actor: now, target, bots };
}

/** What is really to change. */
interface Wanted {
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
): Promise<Wanted> {
  if (newEmail !== undefined) checkMayChangeAddresses(actor);
  const newRole = role === target.role ? undefined : role;
  if (newRole !== undefined) await checkNewRole(tx, actor, target, newRole);
  const name = fullName === undefined ? undefined : await checkName(tx, realm, target, fullName);
  const profile = profileData ? await checkProfileValues(tx, target, profileData) : [];
  const address =
    newEmail === undefined ? undefined : await checkAddressFor(tx, site, realm, target, newEmail);
  return { role: newRole, fullName: name, profile, address };
}

/** A blank name, or the one that the account has, changes nothing. */
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
  { role, fullName, profile, address }: Wanted,
): Promise<{ events: NewEvent[]; audit: AuditEntry[] }> {
  const events: NewEvent[] = [];
  const audit: AuditEntry[] = [];
  const note = (type: string, before: unknown, now: unknown) =>
    audit.push({ type, userId: target.id, data: { old: before, new: now } });
  if (role !== undefined) {
    const bots = await botsThatFollow(tx, target, role);
    const botRole = role === roles.guest ? role : roleOfBotsComingBack;
    events.push(...(await changeRoles(tx, realm, [target], role)));
    events.push(...(await changeRoles(tx, realm, bots, botRole)));
    // Who is an owner no more knows the keys of these bots.
    const escaping = isOwner(target) ? ownBots.filter(hasPowerOfOwners) : [];
    if (gainsPowerOfOwners(target, role)) escaping.push(target);
    for (const bot of escaping) await renewBotKey(tx, site, actor.id, bot);
    note("user_role_changed", target.role, role);
    for (const bot of bots)
      audit.push({
        type: "user_role_changed",
        userId: bot.id,
        data: { old: bot.role, new: botRole },
      });
  }
  if (fullName !== undefined) {
    const prisma = await tx.prisma();
    await prisma.user.update({
      where: { id: target.id },
      data: { fullName },
      select: { id: true },
    });
    events.push(
      personUpdated(target.id, { full_name: fullName }, await audienceSeeing(tx, target)),
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

/** The picture that is made of the address. */
const generated = "G";

/**
 * Takes the name and the picture of an account that is deactivated away (users.md §4); its address, its profile values
 * and its settings stay.
 * @param account in the hands of the transaction
 * @param audience who sees it by then
 * @returns what to tell of it
 */
export async function deleteProfile(
  tx: Tx,
  account: Account,
  audience: Audience,
): Promise<NewEvent[]> {
  const full_name = account.isBot ? "Deactivated bot" : "Deleted user";
  const pictured = account.avatarSource !== generated;
  const avatarVersion = account.avatarVersion + (pictured ? 1 : 0);
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: account.id },
    data: { fullName: full_name, avatarSource: generated, avatarVersion },
    select: { id: true },
  });
  return [
    ...(account.fullName === full_name ? [] : [personUpdated(account.id, { full_name }, audience)]),
    ...(pictured
      ? [pictureUpdated({ ...account, avatarSource: generated, avatarVersion }, audience)]
      : []),
  ];
}
