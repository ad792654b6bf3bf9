import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { isOrganizationAdministrator } from "../permissions/administrators.ts";
import { holdGroupGraph } from "../permissions/lock-groups.ts";
import { lockOrganization } from "../realms/lock-organization.ts";
import type { Account } from "./account.ts";
import { currentActor } from "./lock-account.ts";

/**
 * Keeps what belongs to the organization as a whole (folders of channels, profile fields, defaults of settings) from
 * everybody else until the transaction ends, and the actor in the role that they have: what is read afterwards stays so.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the actor is an administrator
 */
export async function administerOrganization(tx: Tx, actor: Account): Promise<void> {
  checkIsAdministrator(actor);
  const [, , now] = await Promise.all([
    holdGroupGraph(tx, actor.realmId),
    lockOrganization(tx, actor.realmId),
    currentActor(tx, actor),
  ]);
  checkIsAdministrator(now);
}

/** Asked before anybody has to wait, and again once nobody's role changes any more. */
function checkIsAdministrator(account: Account): void {
  if (!isOrganizationAdministrator(account))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
}
