import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import type { Account } from "./account.ts";

export const ownerRole = 100;

/**
 * Refuses to take away the only active human owner. Until the transaction ends nobody else can take one away: of two
 * owners who remove each other, one stays.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkOwnerRemains(tx: Tx, account: Account): Promise<void> {
  if (account.role !== ownerRole || account.isBot || !account.isActive) return;
  const [, another] = await Promise.all([
    tx.rows("SELECT FROM realms WHERE id = $1 FOR NO KEY UPDATE", [account.realmId]),
    tx.first(
      `SELECT FROM users WHERE realm_id = $1 AND role = 100 AND is_active AND NOT is_bot AND id <> $2 LIMIT 1`,
      [account.realmId, account.id],
    ),
  ]);
  if (!another)
    throw errors.badRequest("The organization must keep an owner: this is the only one");
}
