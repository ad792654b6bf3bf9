import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

/** An account as far as adding it to something needs to know. */
export interface ActiveAccount {
  readonly id: number;
  readonly role: number;
  readonly isBot: boolean;
  readonly botOwnerId: number | null;
}

/**
 * The organization's active accounts with these ids, people and bots, each once; they stay active until the
 * transaction ends.
 * @throws ApiError `BAD_REQUEST` unless each of them is one
 */
export async function loadActiveAccounts(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<ActiveAccount[]> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return [];
  const accounts = await tx.lock<ActiveAccount>(
    { name: "accounts", keys: distinct, shared: true },
    `SELECT id, role, is_bot AS "isBot", bot_owner_id AS "botOwnerId" FROM users
     WHERE realm_id = $1 AND id = ANY($2::int[]) AND is_active AND system_bot_kind IS NULL
     ORDER BY id FOR SHARE`,
    [realmId, distinct],
  );
  if (accounts.length < distinct.length) throw errors.badRequest("There is no such active user");
  return accounts;
}
