import { errors, isOwner, roles } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { lockOrganization } from "../realms/lock-organization.ts";
import type { Account } from "./account.ts";

/** Until the transaction ends nobody else can take an owner away; accounts are locked before it. */
export async function lockOwnerSet(tx: Tx, realmId: number): Promise<void> {
  await lockOrganization(tx, realmId);
}

const otherOwner = statement({
  name: "other-owner",
  text: `SELECT FROM users WHERE realm_id = $1 AND role = ${roles.owner} AND is_active AND NOT is_bot AND id <> $2 LIMIT 1`,
  row: {},
});

/**
 * Whether an active human owner is left without the account: of two owners who remove each other, one stays. The owner
 * set must be locked where the account is an owner.
 */
export async function ownerRemains(tx: Tx, account: Account): Promise<boolean> {
  if (!isOwner(account) || account.isBot || !account.isActive) return true;
  return (await tx.first(otherOwner, [account.realmId, account.id])) !== undefined;
}

/**
 * Refuses to take away the only active human owner.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkOwnerRemains(tx: Tx, account: Account): Promise<void> {
  if (!(await ownerRemains(tx, account)))
    throw errors.badRequest("The organization must keep an owner: this is the only one");
}
