import {
  type Account,
  currentActor,
  holdGroupGraph,
  isOrganizationAdministrator,
  lockOrganization,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

/**
 * Keeps the organization's folders from everybody else until the transaction ends, and the actor in the role that they
 * have: what is read afterwards stays so. Who puts a channel into a folder does not wait, and need not: an archived
 * folder takes channels too, so that one which comes while the folder is archived came after that.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the actor is an administrator (channels.md §6)
 */
export async function openFolders(tx: Tx, actor: Account): Promise<void> {
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
