import {
  type Account,
  type Realm,
  checkFullName,
  checkNameIsFree,
  isOrganizationAdministrator,
} from "@carillon/model";
import type { Tx } from "@carillon/db";

/**
 * The name that the account gives itself (users.md §3.3); undefined where it keeps the one it has, because it is that
 * or because the organization leaves names to its administrators.
 * @param account as it is now
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkOwnName(
  tx: Tx,
  realm: Realm,
  account: Account & { readonly nameChangesDisabled: boolean },
  text: string,
): Promise<string | undefined> {
  if (text.trim() === account.fullName) return undefined;
  if (account.nameChangesDisabled && !isOrganizationAdministrator(account)) return undefined;
  const name = checkFullName(text);
  await checkNameIsFree(tx, realm, name, account.id);
  return name;
}
