import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import { loadAccounts, type Account } from "./account.ts";
import { avatarUrl } from "./avatar.ts";

/**
 * The address of an account's picture, deactivated accounts, bots and the organization's own bots included.
 * @throws ApiError 404 when the viewer's organization has no such account
 */
export async function readAvatarUrl(sql: Sql, viewer: Account, userId: number): Promise<string> {
  const account = (await loadAccounts(sql, viewer.realmId, [userId])).get(userId);
  if (!account) throw errors.notFound404("There is no such user");
  return avatarUrl(account);
}
