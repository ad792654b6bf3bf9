import { type Realm, type Site, isEmailAddress, realmOfHost } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type RowOf, type Sql } from "@carillon/db";

import type { Guesses } from "./guesses.ts";
import { verifyPassword } from "./passwords.ts";

/** What a client logs in with from then on. */
export interface ApiKeyAnswer {
  readonly api_key: string;
  /** The delivery address, as it is stored. */
  readonly email: string;
  readonly user_id: number;
}

/**
 * The account's API key for its password (users.md §1): the existing one, never a new one.
 * @param host of the request, which tells the organization
 * @throws ApiError `BAD_REQUEST`, `AUTHENTICATION_FAILED`, `USER_DEACTIVATED`, `REALM_DEACTIVATED`,
 *   `PASSWORD_RESET_REQUIRED`, `PASSWORD_AUTH_DISABLED`, `RATE_LIMIT_HIT`
 */
export async function fetchApiKey(
  sql: Sql,
  site: Site,
  guesses: Guesses,
  host: string,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<ApiKeyAnswer> {
  const { account, login } = await findLogin(sql, host, username, (realm) => {
    if (!realm.passwordAuthEnabled) throw errors.passwordAuthDisabled();
  });
  if (account && account.passwordHash === null) {
    if (!account.isActive) throw errors.userDeactivated();
    throw errors.passwordResetRequired();
  }
  const begin = () => guesses.begin(login);
  const matches = await verifyPassword(password, account?.passwordHash ?? null, begin);
  if (!account || !matches) throw errors.authenticationFailed();
  await guesses.end(login);
  return answer(site, account);
}

/**
 * The same without a password, where the server is set up for development.
 * @throws ApiError as {@link fetchApiKey}; `BAD_REQUEST` on every other server
 */
export async function fetchApiKeyForDevelopment(
  sql: Sql,
  site: Site,
  host: string,
  username: string,
): Promise<ApiKeyAnswer> {
  if (!site.development)
    throw errors.badRequest("This server is not set up for development (DEVELOPMENT)");
  const { account } = await findLogin(sql, host, username);
  if (!account) throw errors.authenticationFailed();
  return answer(site, account);
}

/** Which account it is, or would be: addresses are told apart as the database does, whatever their case. */
export function loginOf(realmId: number, foldedAddress: string): string {
  return `${realmId}:${foldedAddress}`;
}

const byEmail = statement({
  name: "login-by-email",
  text: `SELECT f.folded, u.id, u.delivery_email AS "deliveryEmail", u.is_active AS "isActive",
      u.password_hash AS "passwordHash", u.api_key_sealed AS "apiKeySealed"
    FROM (SELECT lower($2) AS folded) f
      LEFT JOIN users u ON u.realm_id = $1 AND lower(u.delivery_email) = lower($2) AND NOT u.is_bot`,
  row: {
    folded: column.text,
    id: column.int.orNull(),
    deliveryEmail: column.text.orNull(),
    isActive: column.bool.orNull(),
    passwordHash: column.text.orNull(),
    apiKeySealed: column.bytes.orNull(),
  },
});

type Found = RowOf<typeof byEmail.columns>;

/** What was found where there is such an account: its columns are null together, but for the password's. */
type LoginRow = {
  readonly [Name in keyof Found]: Name extends "passwordHash"
    ? Found[Name]
    : NonNullable<Found[Name]>;
};

function isLogin(found: Found): found is LoginRow {
  return found.id !== null;
}

/** People only: bots have no passwords, and their keys are their owners' to hand out. */
async function findLogin(
  sql: Sql,
  host: string,
  username: string,
  check: (realm: Realm) => void = () => {},
): Promise<{ account: LoginRow | undefined; login: string }> {
  const email = username.trim();
  if (!isEmailAddress(email)) throw errors.badRequest("username must be an e-mail address");
  const realm = await realmOfHost(sql, host);
  if (realm.deactivated) throw errors.realmDeactivated();
  check(realm);
  const [row] = await sql.rows(byEmail, [realm.id, email]);
  if (!row) throw new Error("the address was not folded");
  return { account: isLogin(row) ? row : undefined, login: loginOf(realm.id, row.folded) };
}

function answer(site: Site, account: LoginRow): ApiKeyAnswer {
  if (!account.isActive) throw errors.userDeactivated();
  return {
    api_key: site.secrets.open(account.apiKeySealed),
    email: account.deliveryEmail,
    user_id: account.id,
  };
}
