import type { Account, Realm, Site } from "@carillon/model";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { insertUser, type NewUser } from "./insert-user.ts";

/**
 * Adds an account and tells everybody; the last statement of its transaction.
 * @throws a unique violation (SQLSTATE 23505) when the address is taken
 */
export async function createUser(
  tx: Tx,
  site: Site,
  realm: Realm,
  user: NewUser,
): Promise<{ account: Account; apiKey: string }> {
  const { account, apiKey, events } = await insertUser(tx, site, realm, user);
  emit(tx, realm.id, events);
  return { account, apiKey };
}
