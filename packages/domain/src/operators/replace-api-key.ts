import { type Account, type Site, lockAccount, noSuchUser } from "@carillon/model";
import type { Tx } from "@carillon/db";

import { recordForgetting } from "../push/devices/legacy-tokens-of-old-key.ts";
import { changeApiKey } from "../users/change-api-key.ts";

/**
 * Gives a person or a bot another API key on behalf of an operator: the old one is refused from the commit on, in every
 * process, and polls that came with it end.
 * @returns the new key
 * @throws ApiError `BAD_REQUEST`
 */
export async function replaceApiKey(tx: Tx, site: Site, { id, realmId }: Account): Promise<string> {
  const account = await lockAccount(tx, realmId, id);
  if (!account) throw noSuchUser();
  if (!account.isBot) await recordForgetting(tx, account);
  return changeApiKey(tx, site, null, account);
}
