import type { Account, Realm, Site } from "@carillon/model";
import type { Database } from "@carillon/db";

import { addPerson, type NewPerson } from "../users/add-person.ts";

/**
 * Adds a person of any role on behalf of an operator, whom the audit log has as nobody, and welcomes them.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export function createAccount(
  db: Database,
  site: Site,
  realm: Realm,
  person: NewPerson,
): Promise<{ account: Account; apiKey: string }> {
  return addPerson(db, site, realm.id, person, async () => null);
}
