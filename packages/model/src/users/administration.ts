import { errors, isOwner, roles } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { lockGroupGraphShared } from "../permissions/lock-groups.ts";
import { isOrganizationAdministrator } from "../permissions/memberships.ts";
import { lockOrganization } from "../realms.ts";
import type { Account } from "./account.ts";
import { currentActor } from "./lock-account.ts";
import { loadAfter } from "../load-after.ts";

/**
 * Checks that the actor may administer the account (users.md §1, §5). Only owners may administer a bot with the power
 * of owners.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export function checkAdministers(actor: Account, target: Account): void {
  if (!isOrganizationAdministrator(actor))
    throw errors.badRequest("Only administrators of the organization can do this");
  checkPowerfulBot(actor, target);
}

/**
 * Checks that only owners administer a bot with the power of owners, because reading its key gives its power.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL` if the actor is not an owner
 */
export function checkPowerfulBot(actor: Account, target: Account): void {
  if (target.isBot && hasPowerOfOwners(target) && !isOwner(actor))
    throw errors.unauthorizedPrincipal(
      "Only owners can administer a bot that has the role of owners or may create users",
    );
}

/** Whether a bot can do what only owners may (users.md §5). */
export function hasPowerOfOwners(bot: Pick<Account, "role" | "canCreateUsers">): boolean {
  return isOwner(bot) || bot.canCreateUsers;
}

/** SQL equivalent of {@link hasPowerOfOwners} for a row of `users`. */
export const hasPowerOfOwnersSql = (bot: string) =>
  `(${bot}.role = ${roles.owner} OR ${bot}.can_create_users)`;

/**
 * Locks the organization's shared objects (channel folders, profile fields, default settings) and roles until the
 * transaction ends, for a change by an administrator.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the actor is an administrator
 */
export async function administerOrganization(tx: Tx, actor: Account): Promise<void> {
  checkIsAdministrator(actor);
  const { now } = await loadAfter(
    [lockGroupGraphShared(tx, actor.realmId), lockOrganization(tx, actor.realmId)],
    {
      now: currentActor(tx, actor),
    },
  );
  checkIsAdministrator(now);
}

/**
 * Takes the locks of {@link administerOrganization} for a change by an owner.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the actor is an owner
 */
export async function administerAsOwner(tx: Tx, actor: Account): Promise<void> {
  await administerOrganization(tx, actor);
  if (!isOwner(await currentActor(tx, actor)))
    throw errors.unauthorizedPrincipal("Only owners of the organization can do this");
}

/**
 * Throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the account is an administrator. Callers check before they take locks,
 * and again with the locks, under which roles cannot change.
 */
export function checkIsAdministrator(account: Account): void {
  if (!isOrganizationAdministrator(account))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
}

/** Locks the set of owners until the transaction ends. Lock accounts before it. */
export async function lockOwnerSet(tx: Tx, realmId: number): Promise<void> {
  await lockOrganization(tx, realmId);
}

/**
 * Whether an active human owner remains without the account. If the account is an owner, the caller has locked the owner
 * set: otherwise two owners could remove each other at the same time.
 */
export async function ownerRemains(tx: Tx, account: Account): Promise<boolean> {
  if (!isOwner(account) || account.isBot || !account.isActive) return true;
  const prisma = await tx.prisma();
  const other = await prisma.user.findFirst({
    where: {
      realmId: account.realmId,
      role: roles.owner,
      isActive: true,
      isBot: false,
      id: { not: account.id },
    },
    select: { id: true },
  });
  return other !== null;
}

/**
 * Checks that the account is not the only active human owner.
 * @throws ApiError `BAD_REQUEST` if it is
 */
export async function checkOwnerRemains(tx: Tx, account: Account): Promise<void> {
  if (!(await ownerRemains(tx, account)))
    throw errors.badRequest("The organization must keep an owner: this is the only one");
}
