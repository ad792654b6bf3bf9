import { type Account, type Site, currentActor } from "@carillon/model";
import { errors, isAtLeast, roles } from "@carillon/contract";
import type { Database } from "@carillon/db";

import { addPerson } from "./add-person.ts";

/**
 * Adds a member on behalf of an administrator who may (users.md §5), and welcomes them; what the actor may is asked
 * again in the transaction.
 * @returns its id
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function createMember(
  db: Database,
  site: Site,
  actor: Account,
  input: { readonly email: string; readonly password: string; readonly fullName: string },
): Promise<number> {
  checkMayCreate(actor);
  const { account } = await addPerson(db, site, actor.realmId, input, async (tx) => {
    checkMayCreate(await currentActor(tx, actor));
    return actor.id;
  });
  return account.id;
}

/** @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST` */
function checkMayCreate(actor: Account): void {
  if (!isAtLeast(actor, roles.administrator))
    throw errors.unauthorizedPrincipal("Only administrators of the organization can do this");
  if (!actor.canCreateUsers) throw errors.badRequest("You may not create users");
}
