import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { lockOrganization } from "../realms/lock-organization.ts";
import type { Realm } from "../realms/realm.ts";

const named = statement({
  name: "bot-name-taken",
  text: `SELECT FROM users WHERE realm_id = $1 AND is_active AND id <> $3
    AND lower(normalize(full_name, NFKC)) = lower(normalize($2, NFKC)) LIMIT 1`,
  row: {},
});

/**
 * A bot that becomes active has another name than every active account, whatever their case (users.md §5). No name is
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
  const [, taken] = await Promise.all([
    lockOrganization(tx, realm.id),
    tx.first(named, [realm.id, name, exceptId]),
  ]);
  if (taken) throw errors.badRequest("An active user or bot has this name");
}
