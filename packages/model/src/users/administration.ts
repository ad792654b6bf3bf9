import { errors, isOwner } from "@carillon/contract";

import { isOrganizationAdministrator } from "../permissions/administrators.ts";
import type { Account } from "./account.ts";

/**
 * Whether the actor may administer the account (users.md §1, §5). A bot that may create users is the owners' alone.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export function checkAdministers(actor: Account, target: Account): void {
  if (!isOrganizationAdministrator(actor))
    throw errors.badRequest("Only administrators of the organization can do this");
  checkPowerfulBot(actor, target);
}

/** @throws ApiError `UNAUTHORIZED_PRINCIPAL` for a bot that may create users, unless the actor is an owner */
export function checkPowerfulBot(actor: Account, target: Account): void {
  if (target.isBot && target.canCreateUsers && !isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners can administer a bot that may create users");
}
