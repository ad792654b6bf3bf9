import { errors, isOwner, roles } from "@carillon/contract";

import { isOrganizationAdministrator } from "../permissions/administrators.ts";
import type { Account } from "./account.ts";

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
