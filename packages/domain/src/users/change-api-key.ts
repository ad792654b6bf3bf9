import { type Account, type Site, lockAccount, recordAudit } from "@carillon/model";
import { errors, keyChanged } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { randomKey } from "@carillon/kit";

import { recordForgetting } from "../push/devices/legacy-tokens-of-old-key.ts";
import type { LoggedIn } from "./authenticate.ts";

/**
 * Gives the caller another API key (users.md §1): from the commit on the old one is refused in every process, and the
 * polls that came with it end. A worker removes the push tokens of the older kind.
 * @returns the new key
 * @throws ApiError `UNAUTHORIZED` when the caller's key has been changed meanwhile: of two that hold a leaked key,
 *   the second does not get the first one's new key
 */
export async function changeOwnApiKey(tx: Tx, site: Site, actor: LoggedIn): Promise<string> {
  const account = await lockAccount(tx, actor.realmId, actor.id);
  if (!account?.isActive || !(await hasKey(tx, actor))) throw errors.unauthorized();
  await recordForgetting(tx, account);
  return changeApiKey(tx, site, actor.id, account);
}

/**
 * @param actorId for the audit log; null for an operator
 * @param account in the hands of the transaction
 * @returns the new key
 */
export async function changeApiKey(
  tx: Tx,
  site: Site,
  actorId: number | null,
  account: Account,
): Promise<string> {
  const apiKey = randomKey();
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: account.id },
    data: { apiKeySealed: site.secrets.seal(apiKey), apiKeyDigest: site.secrets.digest(apiKey) },
    select: { id: true },
  });
  recordAudit(tx, account.realmId, actorId, [{ type: "user_api_key_changed", userId: account.id }]);
  emit(tx, account.realmId, [keyChanged({ user_id: account.id }, { audience: [] })]);
  return apiKey;
}

const keyIsCurrent = statement({
  name: "api-key-is-current",
  text: "SELECT FROM users WHERE id = $1 AND api_key_digest = $2",
  row: {},
});

async function hasKey(tx: Tx, { id, keyDigest }: LoggedIn): Promise<boolean> {
  const found = await tx.rows(keyIsCurrent, [id, keyDigest]);
  return found.length > 0;
}
