import {
  type Account,
  holdGroupGraph,
  holdOrganization,
  isOrganizationAdministrator,
  loadSight,
  lockAccount,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { checkProfileValues, type ProfileEntry, storeProfileValues } from "./change-values.ts";

/**
 * Changes what the account says of itself in custom profile fields (settings-and-profile-fields.md §2.5), all of it or
 * nothing, and tells what is new.
 * @throws ApiError `BAD_REQUEST`
 */
export async function updateOwnProfile(
  tx: Tx,
  actor: Account,
  entries: readonly ProfileEntry[],
): Promise<void> {
  const { realmId } = actor;
  const [, account] = await Promise.all([
    holdGroupGraph(tx, realmId),
    lockAccount(tx, realmId, actor.id),
    holdOrganization(tx, realmId),
  ]);
  if (!account?.isActive) throw errors.unauthorized();
  const mayEditAll = isOrganizationAdministrator(account);
  const values = await checkProfileValues(tx, account, entries, {
    mayEdit: ({ editableByUser }) => editableByUser || mayEditAll,
    sight: await loadSight(tx, account),
  });
  emit(tx, realmId, await storeProfileValues(tx, account, values));
}
