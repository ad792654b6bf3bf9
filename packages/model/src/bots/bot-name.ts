import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { lockOrganization } from "../realms/lock-organization.ts";
import type { Realm } from "../realms/realm.ts";
import { findCollision } from "../users/name-taken.ts";

/**
 * A bot that becomes active has another name than every active account, and one that looks different (users.md §5). No name is
 * given to another bot until the transaction ends.
 * @param exceptId the bot that is to have the name
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkBotName(
  tx: Tx,
  realm: Realm,
  name: string,
  exceptId = 0,
): Promise<void> {
  const [, collision] = await Promise.all([
    lockOrganization(tx, realm.id),
    findCollision(tx, realm.id, name, { exceptId, onlyActive: true }),
  ]);
  if (collision === "same") throw errors.badRequest("An active user or bot has this name");
  if (collision)
    throw errors.badRequest("An active user or bot has a name that looks like this one");
}
