import { errors, isOwner, roles } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { holdGroupGraph } from "../permissions/lock-groups.ts";
import { isOrganizationAdministrator } from "../permissions/memberships.ts";
import { lockOrganization } from "../realms.ts";
import type { Account } from "./account.ts";
import { currentActor } from "./lock-account.ts";
import { loadAfter } from "../load-after.ts";

/**
 * Whether the actor may administer the account (users.md §1, §5). A bot with the power of owners is the owners' alone.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export function checkAdministers(actor: Account, target: Account): void {
  if (!isOrganizationAdministrator(actor))
    throw errors.badRequest("Only administrators of the organization can do this");
  checkPowerfulBot(actor, target);
}

/**
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL` for a bot with the power of owners, unless the actor is an owner: whoever
 *   reads the key of such a bot is an owner
 */
export function checkPowerfulBot(actor: Account, target: Account): void {
  if (target.isBot && hasPowerOfOwners(target) && !isOwner(actor))
    throw errors.unauthorizedPrincipal(
      "Only owners can administer a bot that has the role of owners or may create users",
    );
}

/** Whether a bot may do what only owners may (users.md §5). */
export function hasPowerOfOwners(bot: Pick<Account, "role" | "canCreateUsers">): boolean {
  return isOwner(bot) || bot.canCreateUsers;
}

/** The same as a condition on a row of `users`. */
export const hasPowerOfOwnersSql = (bot: string) =>
  `(${bot}.role = ${roles.owner} OR ${bot}.can_create_users)`;

/**
 * Keeps what belongs to the organization as a whole (folders of channels, profile fields, defaults of settings) from
 * everybody else until the transaction ends, and the actor in the role that they have: what is read afterwards stays so.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the actor is an administrator
 */
export async function administerOrganization(tx: Tx, actor: Account): Promise<void> {
  checkIsAdministrator(actor);
  const { now } = await loadAfter(
    [holdGroupGraph(tx, actor.realmId), lockOrganization(tx, actor.realmId)],
    {
      now: currentActor(tx, actor),
    },
  );
  checkIsAdministrator(now);
}

/** Asked before anybody has to wait, and again once nobody's role changes any more. */
function checkIsAdministrator(account: Account): void {
  if (!isOrganizationAdministrator(account))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
}

/** Until the transaction ends nobody else can take an owner away; accounts are locked before it. */
export async function lockOwnerSet(tx: Tx, realmId: number): Promise<void> {
  await lockOrganization(tx, realmId);
}

const otherOwner = statement({
  name: "other-owner",
  text: `SELECT FROM users WHERE realm_id = $1 AND role = ${roles.owner} AND is_active AND NOT is_bot AND id <> $2 LIMIT 1`,
  row: {},
});

/**
 * Whether an active human owner is left without the account: of two owners who remove each other, one stays. The owner
 * set must be locked where the account is an owner.
 */
export async function ownerRemains(tx: Tx, account: Account): Promise<boolean> {
  if (!isOwner(account) || account.isBot || !account.isActive) return true;
  return (await tx.first(otherOwner, [account.realmId, account.id])) !== undefined;
}

/**
 * Refuses to take away the only active human owner.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkOwnerRemains(tx: Tx, account: Account): Promise<void> {
  if (!(await ownerRemains(tx, account)))
    throw errors.badRequest("The organization must keep an owner: this is the only one");
}
