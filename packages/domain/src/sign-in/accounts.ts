import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { type Account, lockAccount, recordAudit } from "@carillon/model";

import type { Identity } from "./identity.ts";

const linked = statement({
  name: "account-of-identity",
  text: `SELECT u.id, u.is_active AS "isActive" FROM account_links l JOIN users u ON u.id = l.user_id
    WHERE l.realm_id = $1 AND l.issuer = $2 AND l.subject = $3`,
});

/** Finds the account that an identity is linked to; undefined if there is none. */
export async function linkedAccount(
  sql: Sql,
  realmId: number,
  { issuer, subject }: Pick<Identity, "issuer" | "subject">,
): Promise<RowOf<typeof linked> | undefined> {
  const [row] = await sql.rows(linked, [realmId, issuer, subject]);
  return row;
}

const ofAddress = statement({
  name: "account-to-link",
  text: `SELECT u.id, u.is_active AS "isActive", u.is_bot AS "isBot",
      EXISTS (SELECT FROM account_links l WHERE l.user_id = u.id AND l.issuer = $3) AS "hasLink"
    FROM users u WHERE u.realm_id = $1 AND lower(u.delivery_email) = lower($2)`,
});

/** Finds the account that has the address, and whether it is linked to an identity of the issuer. */
export async function accountOfAddress(
  sql: Sql,
  realmId: number,
  { email, issuer }: Pick<Identity, "email" | "issuer">,
): Promise<RowOf<typeof ofAddress> | undefined> {
  const [row] = await sql.rows(ofAddress, [realmId, email, issuer]);
  return row;
}

/**
 * Links an account to an identity.
 * @param account locked by the transaction, or new
 * @returns the id of the link; undefined if another transaction has linked the identity or the account meanwhile
 */
export async function linkAccount(
  tx: Tx,
  { id: userId, realmId }: Pick<Account, "id" | "realmId">,
  { issuer, subject }: Pick<Identity, "issuer" | "subject">,
): Promise<number | undefined> {
  const [row] = await tx.rows(insertLink, [realmId, userId, issuer, subject]);
  if (!row) return undefined;
  recordAudit(tx, realmId, userId, [{ type: "user_identity_linked", userId, data: { issuer } }]);
  return row.id;
}

const insertLink = statement({
  name: "account-link-insert",
  text: `INSERT INTO account_links (realm_id, user_id, issuer, subject) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING RETURNING id`,
});

/**
 * Locks an account that had the address.
 * @returns undefined if it no longer has the address or is no longer active; the address and the state of a returned
 *   account cannot change until the transaction ends
 */
export async function lockAddressee(
  tx: Tx,
  realmId: number,
  userId: number,
  { email, issuer }: Pick<Identity, "email" | "issuer">,
): Promise<Account | undefined> {
  const account = await lockAccount(tx, realmId, userId);
  const holder = await accountOfAddress(tx, realmId, { email, issuer });
  return account?.isActive && holder?.id === userId ? account : undefined;
}
