import { type Account, type Site, accountColumns, accountRow } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";
import { areAlikeButForCase } from "@carillon/kit";

/** Why nobody was found; for the log only, the answer never tells. */
export interface NoAccount {
  readonly refused: string;
}

/** An account whose credentials were right. */
export interface LoggedIn extends Account {
  /** Of the key that it came with, which may be its no more by the time that something is done. */
  readonly keyDigest: Uint8Array;
}

const byDigests = statement({
  name: "accounts-by-keys",
  text: `SELECT ${accountColumns}, u.api_key_digest AS "keyDigest", r.deactivated AS "realmDeactivated"
    FROM users u JOIN realms r ON r.id = u.realm_id
    WHERE u.api_key_digest = ANY(ARRAY(SELECT unnest($1::bytea[])))`,
  row: { ...accountRow, keyDigest: column.bytes, realmDeactivated: column.bool },
});

/** An account that has a key, whether or not it may come in. */
export interface KeyHolder {
  readonly account: LoggedIn;
  readonly realmDeactivated: boolean;
}

/** Whose keys these are, by their digests and in their order: one statement for all of them. */
export async function keyHolders(
  sql: Sql,
  digests: readonly Uint8Array[],
): Promise<Array<KeyHolder | undefined>> {
  const rows = await sql.rows(byDigests, [digests]);
  const holders = new Map(
    rows.map(({ realmDeactivated, ...account }) => [
      textOf(account.keyDigest),
      { account, realmDeactivated },
    ]),
  );
  return digests.map((digest) => holders.get(textOf(digest)));
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString("latin1");
}

const keyShape = /^[A-Za-z0-9]{32}$/;

/**
 * The account whose API key this is (users.md §1). Nothing is cached, so that a revoked key and a deactivated account
 * fail on their next request in every process. Addresses compare whatever their case.
 * @param holderOf looks into the database, after it has been called
 */
export async function authenticate(
  holderOf: (keyDigest: Uint8Array) => Promise<KeyHolder | undefined>,
  site: Pick<Site, "secrets">,
  { email, apiKey }: { readonly email: string; readonly apiKey: string },
): Promise<LoggedIn | NoAccount> {
  if (!keyShape.test(apiKey)) return { refused: "malformed key" };
  const holder = await holderOf(site.secrets.digest(apiKey));
  if (!holder) return { refused: "unknown key" };
  const { account, realmDeactivated } = holder;
  if (!areAlikeButForCase(account.deliveryEmail, email))
    return { refused: "key of another account" };
  if (realmDeactivated) return { refused: "organization deactivated" };
  if (!account.isActive) return { refused: "account deactivated" };
  return account;
}
