import { type Account, type Site, accountColumns, accountRow } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";

/** Why nobody was found; for the log only, the answer never tells. */
export interface NoAccount {
  readonly refused: string;
}

/** An account whose credentials were right. */
export interface LoggedIn extends Account {
  /** Of the key that it came with, which may be its no more by the time that something is done. */
  readonly keyDigest: Uint8Array;
}

const byDigest = statement({
  name: "account-by-key",
  text: `SELECT ${accountColumns}, r.deactivated AS "realmDeactivated"
    FROM users u JOIN realms r ON r.id = u.realm_id WHERE u.api_key_digest = $1`,
  row: { ...accountRow, realmDeactivated: column.bool },
});

const keyShape = /^[A-Za-z0-9]{32}$/;

/**
 * The account whose API key this is (users.md §1): one prepared statement, nothing cached, so that a revoked key and
 * a deactivated account fail on their next request in every process. Addresses compare whatever their case.
 */
export async function authenticate(
  sql: Sql,
  site: Pick<Site, "secrets">,
  { email, apiKey }: { readonly email: string; readonly apiKey: string },
): Promise<LoggedIn | NoAccount> {
  if (!keyShape.test(apiKey)) return { refused: "malformed key" };
  const keyDigest = site.secrets.digest(apiKey);
  const [row] = await sql.rows(byDigest, [keyDigest]);
  if (!row) return { refused: "unknown key" };
  const { realmDeactivated, ...account } = row;
  if (account.deliveryEmail.toLowerCase() !== email.toLowerCase())
    return { refused: "key of another account" };
  if (realmDeactivated) return { refused: "organization deactivated" };
  if (!account.isActive) return { refused: "account deactivated" };
  return { ...account, keyDigest };
}
