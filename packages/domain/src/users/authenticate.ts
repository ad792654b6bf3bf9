import {
  type Account,
  type Site,
  accountColumns,
  accountOverrides,
  continuesElsewhereSql,
} from "@carillon/model";
import { statement, type Sql } from "@carillon/db";
import { areAlikeButForCase } from "@carillon/kit";

/** The reason of a failed authentication; only for the log, never for the response. */
export interface NoAccount {
  readonly refused: string;
  /** The new address of the account's organization, if that has moved to another installation. */
  readonly movedTo?: string;
  /** Whether the account's organization continues at another installation under the same address. */
  readonly continuesElsewhere?: boolean;
}

/** An authenticated account. */
export interface LoggedIn extends Account {
  /** Digest of the key that was used, which may be replaced before the request is handled. */
  readonly keyDigest: Uint8Array;
  /** The secret with which programs sign webhooks for the bot, sealed; null for none (bot-platform.md §1.1). */
  readonly webhookSecretSealed: Uint8Array | null;
  /** Whether the organization refuses requests that change something (docs/moving.md). */
  readonly organizationReadOnly: boolean;
}

const byDigests = statement({
  name: "accounts-by-keys",
  // The last column costs a lookup only for accounts of deactivated organizations.
  text: `SELECT ${accountColumns}, u.api_key_digest AS "keyDigest",
      u.webhook_secret_sealed AS "webhookSecretSealed", r.deactivated AS "realmDeactivated",
      r.moved_to AS "movedTo", r.read_only_since IS NOT NULL AS "organizationReadOnly",
      ${continuesElsewhereSql("r")} AS "continuesElsewhere"
    FROM users u JOIN realms r ON r.id = u.realm_id
    WHERE u.api_key_digest = ANY(ARRAY(SELECT unnest($1::bytea[])))`,
  overrides: accountOverrides,
});

/** An account found by its key, whether or not it may log in. */
export interface KeyHolder {
  readonly account: LoggedIn;
  readonly realmDeactivated: boolean;
  /** The new address of an organization that has moved to another installation. */
  readonly movedTo: string | null;
  /** Whether the organization continues at another installation under the same address. */
  readonly continuesElsewhere: boolean;
}

/** Loads the accounts with these key digests, in the same order, by one statement. */
export async function keyHolders(
  sql: Sql,
  digests: readonly Uint8Array[],
): Promise<Array<KeyHolder | undefined>> {
  const rows = await sql.rows(byDigests, [digests]);
  const holders = new Map(
    rows.map(({ realmDeactivated, movedTo, continuesElsewhere, ...account }) => [
      textOf(account.keyDigest),
      { account, realmDeactivated, movedTo, continuesElsewhere },
    ]),
  );
  return digests.map((digest) => holders.get(textOf(digest)));
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString("latin1");
}

const keyShape = /^[A-Za-z0-9]{32}$/;

/**
 * Authenticates an account by its API key (users.md §1). Nothing is cached, so that a revoked key or a deactivated
 * account fails in every process from the next request on. Addresses are compared ignoring case.
 * @param credentials without an address only the key is checked
 * @param holderOf queries the database; must read after it has been called
 */
export async function authenticate(
  holderOf: (keyDigest: Uint8Array) => Promise<KeyHolder | undefined>,
  site: Pick<Site, "secrets">,
  { email, apiKey }: { readonly email: string | undefined; readonly apiKey: string },
): Promise<LoggedIn | NoAccount> {
  if (!keyShape.test(apiKey)) return { refused: "malformed key" };
  const holder = await holderOf(site.secrets.digest(apiKey));
  if (!holder) return { refused: "unknown key" };
  const { account, realmDeactivated, movedTo, continuesElsewhere } = holder;
  if (email !== undefined && !areAlikeButForCase(account.deliveryEmail, email))
    return { refused: "key of another account" };
  if (movedTo !== null) return { refused: "organization moved", movedTo };
  if (continuesElsewhere)
    return { refused: "organization continues elsewhere", continuesElsewhere };
  if (realmDeactivated) return { refused: "organization deactivated" };
  if (!account.isActive) return { refused: "account deactivated" };
  return account;
}
