import { errors, keyChanged } from "@carillon/contract";
import { notNull, type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { randomKey } from "@carillon/kit";
import {
  type Account,
  isEmailAddress,
  loadAccounts,
  lockAccount,
  type Realm,
  realmOfHost,
  recordAudit,
  type Site,
} from "@carillon/model";

import { recordForgetting } from "../push/devices/legacy-tokens.ts";
import type { LoggedIn } from "./authenticate.ts";
import { verifyPassword } from "./passwords.ts";
import { type OwnUser, readOwnUser } from "./read-users.ts";

/** The credentials of a client. */
interface ApiKeyAnswer {
  readonly api_key: string;
  /** The delivery address as stored. */
  readonly email: string;
  readonly user_id: number;
}

/**
 * Returns the account's existing API key for its password (users.md §1).
 * @param host host of the request, which identifies the organization
 * @throws ApiError `BAD_REQUEST`, `AUTHENTICATION_FAILED`, `USER_DEACTIVATED`, `REALM_DEACTIVATED`,
 * `PASSWORD_RESET_REQUIRED`, `PASSWORD_AUTH_DISABLED`, `RATE_LIMIT_HIT`
 */
export async function fetchApiKey(
  sql: Sql,
  site: Site,
  guesses: Guesses,
  host: string,
  input: { readonly username: string; readonly password: string },
): Promise<ApiKeyAnswer> {
  // A malformed address is refused before the organization is looked for.
  checkUsername(input.username);
  return answer(site, await logIn(sql, guesses, await realmOfHost(sql, host), input));
}

/**
 * Finds the active account of an address by its password.
 * @throws ApiError as {@link fetchApiKey}
 */
export async function logIn(
  sql: Sql,
  guesses: Guesses,
  realm: Realm,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<LoginRow> {
  const email = checkUsername(username);
  if (realm.deactivated) throw errors.realmDeactivated();
  if (!realm.passwordAuthEnabled) throw errors.passwordAuthDisabled();
  const { account, login } = await findLogin(sql, realm, email);
  if (account && account.passwordHash === null) {
    if (!account.isActive) throw errors.userDeactivated();
    throw errors.passwordResetRequired();
  }
  const begin = () => guesses.begin(login);
  const matches = await verifyPassword(password, account?.passwordHash ?? null, begin);
  if (!account || !matches) throw errors.authenticationFailed();
  await guesses.end(login);
  if (!account.isActive) throw errors.userDeactivated();
  return account;
}

/**
 * Returns the account's API key without a password, on servers set up for development.
 * @throws ApiError as {@link fetchApiKey}; `BAD_REQUEST` on all other servers
 */
export async function fetchApiKeyForDevelopment(
  sql: Sql,
  site: Site,
  host: string,
  username: string,
): Promise<ApiKeyAnswer> {
  if (!site.development)
    throw errors.badRequest("This server is not set up for development (DEVELOPMENT)");
  const email = checkUsername(username);
  const realm = await realmOfHost(sql, host);
  if (realm.deactivated) throw errors.realmDeactivated();
  if (!realm.devAuthEnabled)
    throw errors.badRequest("The organization does not allow to log in without a password");
  const { account } = await findLogin(sql, realm, email);
  if (!account) throw errors.authenticationFailed();
  if (!account.isActive) throw errors.userDeactivated();
  return answer(site, account);
}

/** The answer to a signed token, with the account itself if it was asked for. */
export type TokenAnswer = Omit<ApiKeyAnswer, "user_id"> & { user?: OwnUser };

/**
 * Returns the API key of the account that a signed token names (people.md §5).
 * @param email the claim of the token, which the caller has verified
 * @throws ApiError `BAD_REQUEST`, `AUTHENTICATION_FAILED`, `USER_DEACTIVATED`, `REALM_DEACTIVATED`
 */
export async function fetchApiKeyOfToken(
  sql: Sql,
  site: Site,
  host: string,
  { email, includeProfile }: { readonly email: string; readonly includeProfile: boolean },
): Promise<TokenAnswer> {
  if (!isEmailAddress(email.trim()))
    throw errors.badRequest("The claim email of the token must be an e-mail address");
  const realm = await realmOfHost(sql, host);
  if (realm.deactivated) throw errors.realmDeactivated();
  const { account } = await findLogin(sql, realm, email.trim());
  if (!account) throw errors.authenticationFailed();
  if (!account.isActive) throw errors.userDeactivated();
  const { user_id: userId, ...key } = answer(site, account);
  if (!includeProfile) return key;
  const person = (await loadAccounts(sql, realm.id, [userId])).get(userId);
  if (!person) throw errors.authenticationFailed();
  return { ...key, user: await readOwnUser(sql, site, person) };
}

/**
 * Returns the key under which login attempts are counted, for existing and unknown addresses alike.
 * @param foldedAddress the address in PostgreSQL's lower case
 */
export function loginOf(realmId: number, foldedAddress: string): string {
  return `${realmId}:${foldedAddress}`;
}

const byEmail = statement({
  name: "login-by-email",
  text: `SELECT f.folded, u.id, u.delivery_email AS "deliveryEmail", u.is_active AS "isActive",
      u.password_hash AS "passwordHash", u.api_key_sealed AS "apiKeySealed"
    FROM (SELECT lower($2) AS folded) f
      LEFT JOIN users u ON u.realm_id = $1 AND lower(u.delivery_email) = lower($2) AND NOT u.is_bot`,
  overrides: { folded: notNull },
});

type Found = RowOf<typeof byEmail>;

/** The row of an existing account: only the password's column can be null. */
type LoginRow = {
  readonly [Name in keyof Found]: Name extends "passwordHash"
    ? Found[Name]
    : NonNullable<Found[Name]>;
};

function isLogin(found: Found): found is LoginRow {
  return found.id !== null;
}

/** Returns the address, trimmed, or throws ApiError `BAD_REQUEST`. */
function checkUsername(username: string): string {
  const email = username.trim();
  if (!isEmailAddress(email)) throw errors.badRequest("username must be an e-mail address");
  return email;
}

/** Finds a person by address; bots have no passwords, and their owners hand out their keys. */
async function findLogin(
  sql: Sql,
  realm: Realm,
  email: string,
): Promise<{ account: LoginRow | undefined; login: string }> {
  const [row] = await sql.rows(byEmail, [realm.id, email]);
  if (!row) throw new Error("login query returned no row");
  return { account: isLogin(row) ? row : undefined, login: loginOf(realm.id, row.folded) };
}

function answer(site: Site, account: LoginRow): ApiKeyAnswer {
  return {
    api_key: site.secrets.open(account.apiKeySealed),
    email: account.deliveryEmail,
    user_id: account.id,
  };
}

/**
 * Changes the account's own API key (users.md §1): after the commit, every process rejects the old key, and polls that
 * used it end. A worker removes the account's legacy push tokens.
 * @returns the new key
 * @throws ApiError `UNAUTHORIZED` if the key has been changed meanwhile: of two holders of a leaked key, the second
 * does not get the first one's new key
 */
export async function changeOwnApiKey(tx: Tx, site: Site, actor: LoggedIn): Promise<string> {
  const account = await lockAccount(tx, actor.realmId, actor.id);
  if (!account?.isActive || !(await hasKey(tx, actor))) throw errors.unauthorized();
  await recordForgetting(tx, account);
  return changeApiKey(tx, site, actor.id, account);
}

/**
 * Changes an account's API key.
 * @param actorId for the audit log; null for an operator
 * @param account locked by the transaction
 * @returns the new key
 */
export async function changeApiKey(
  tx: Tx,
  site: Site,
  actorId: number | null,
  account: Account,
): Promise<string> {
  const apiKey = randomKey();
  const prisma = await tx.prisma();
  await prisma.user.update({
    where: { id: account.id },
    data: { apiKeySealed: site.secrets.seal(apiKey), apiKeyDigest: site.secrets.digest(apiKey) },
    select: { id: true },
  });
  recordAudit(tx, account.realmId, actorId, [{ type: "user_api_key_changed", userId: account.id }]);
  emit(tx, account.realmId, [keyChanged({ user_id: account.id }, { audience: [] })]);
  return apiKey;
}

const keyIsCurrent = statement({
  name: "api-key-is-current",
  text: "SELECT FROM users WHERE id = $1 AND api_key_digest = $2",
});

async function hasKey(tx: Tx, { id, keyDigest }: LoggedIn): Promise<boolean> {
  const found = await tx.rows(keyIsCurrent, [id, keyDigest]);
  return found.length > 0;
}

/** Deletes the event queues of an account. */
export const dropQueues = statement({
  name: "event-queues-of-account-drop",
  text: "DELETE FROM event_queue WHERE user_id = $1",
});

/**
 * Replaces the key of a bot, so that everyone who knows the old key is locked out (users.md §5): the bot's event queues
 * are deleted, and its open polls end with the commit. Used when a bot gets another owner, or more power than the
 * accounts that could read its key.
 * @param actorId for the audit log
 * @param bot locked by the transaction
 */
export async function renewBotKey(
  tx: Tx,
  site: Site,
  actorId: number,
  bot: Account,
): Promise<void> {
  await changeApiKey(tx, site, actorId, bot);
  await tx.rows(dropQueues, [bot.id]);
}

/**
 * Limits the attempts to guess an account's password. A correct password resets the count. Wrong attempts by others
 * block the account's login by password for a while, but never its API key.
 */
export interface Guesses {
  /**
   * Counts an attempt before the password is checked.
   * @param login key of the account; unknown accounts are counted in the same way
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  begin(login: string): Promise<void>;
  /** Resets the count after a correct password. */
  end(login: string): Promise<void>;
}

/** An implementation without limits. */
export const unlimitedGuesses: Guesses = { begin: async () => {}, end: async () => {} };
