import { errors, isGuest, isOwner, roles } from "@carillon/contract";
import { type Database, type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  checkOwnerRemains,
  loadRealm,
  lockAccount,
  lockGroupGraph,
  noSuchUser,
  type Realm,
  recordAudit,
  type Site,
  loadAfter,
} from "@carillon/model";

import { endResets } from "../password-resets/find-reset.ts";
import { recordForgetting } from "../push/devices/legacy-tokens.ts";
import { addPerson, type NewPerson } from "../users/create-user.ts";
import { changeApiKey } from "../users/api-key.ts";
import { changeRoles } from "../users/change-role.ts";
import { checkPassword, hashPassword } from "../users/passwords.ts";
import { deactivateAccount } from "../users/deactivate-account.ts";
import { deactivateWithBots } from "../users/deactivate-with-bots.ts";
import { activate } from "../users/reactivate-user.ts";

const page = 1_000;

const next = statement({
  name: "operator-accounts",
  text: `SELECT u.id, u.delivery_email AS email, u.full_name AS name, u.role, u.is_active AS active, u.is_bot AS bot,
      o.delivery_email AS owner, extract(epoch FROM u.date_joined)::float8 AS joined
    FROM users u LEFT JOIN users o ON o.id = u.bot_owner_id
    WHERE u.realm_id = $1 AND u.system_bot_kind IS NULL AND u.id > $2 ORDER BY u.id LIMIT ${page}`,
});

/** An account in an operator's list; `owner` is the address of a bot's owner, `joined` in UNIX seconds. */
export type ListedAccount = RowOf<typeof next>;

/** Lists the accounts of an organization by id, in pages, including deactivated accounts and bots. */
export async function* listAccounts(
  sql: Sql,
  { id }: Realm,
): AsyncGenerator<readonly ListedAccount[]> {
  let after = 0;
  for (;;) {
    const rows = await sql.rows(next, [id, after]);
    if (rows.length > 0) yield rows;
    if (rows.length < page) return;
    after = rows.at(-1)?.id ?? after;
  }
}

/**
 * Creates a person's account with any role for an operator, and sends the welcome message. The audit log has no actor.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export function createAccount(
  db: Database,
  site: Site,
  realm: Realm,
  person: NewPerson,
): Promise<{ account: Account; apiKey: string }> {
  return addPerson(db, site, realm.id, person, async () => null);
}

/**
 * Deactivates a person with their bots, or a bot, for an operator, in the same steps as `DELETE /users/{user_id}` and
 * `DELETE /bots/{bot_id}`.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function deactivateForOperator(db: Database, account: Account): Promise<void> {
  const { id, realmId, isBot } = account;
  if (isBot) return db.transaction((tx) => deactivateBot(tx, account));
  await deactivateWithBots(db, { id: null, realmId, authorize: assertCanDeactivate }, id, {});
}

async function assertCanDeactivate(tx: Tx, user: Account): Promise<void> {
  checkActive(user);
  await checkOwnerRemains(tx, user);
}

function checkActive({ isActive, deliveryEmail }: Account): void {
  if (!isActive) throw errors.badRequest(`${deliveryEmail} is deactivated already`);
}

/**
 * Reactivates a person for an operator, as `POST /users/{user_id}/reactivate` does.
 * @returns false if the account is active already
 * @throws ApiError `BAD_REQUEST`
 */
export async function reactivateForOperator(
  tx: Tx,
  site: Site,
  { id, realmId }: Account,
): Promise<boolean> {
  const { account } = await loadAfter(lockGroupGraph(tx, realmId), {
    account: lockAccount(tx, realmId, id),
  });
  if (!account) throw noSuchUser();
  if (account.isBot) throw errors.badRequest("an administrator has to reactivate bots");
  if (account.isActive) return false;
  await activate(tx, site, null, account);
  return true;
}

/**
 * Makes a person an owner of the organization for an operator, such as when the last owner has left.
 * @returns false if the account is an owner already
 * @throws ApiError `BAD_REQUEST` for bots, guests and deactivated accounts
 */
export async function makeOwner(tx: Tx, { id, realmId }: Account): Promise<boolean> {
  const { account, realm } = await loadAfter(lockGroupGraph(tx, realmId), {
    account: lockAccount(tx, realmId, id),
    realm: loadRealm(tx, realmId),
  });
  if (!account) throw noSuchUser();
  const { isBot, isActive, role, deliveryEmail } = account;
  if (isBot) throw errors.badRequest("a bot cannot be the owner who keeps an organization going");
  if (!isActive) throw errors.badRequest(`${deliveryEmail} is deactivated: reactivate it first`);
  if (isGuest(account))
    throw errors.badRequest(
      `${deliveryEmail} is a guest, and guests cannot become owners: name a member`,
    );
  if (isOwner(account)) return false;
  const events = await changeRoles(tx, realm, [account], roles.owner);
  recordAudit(tx, realmId, null, [
    { type: "user_role_changed", userId: id, data: { old: role, new: roles.owner } },
  ]);
  emit(tx, realmId, events);
  return true;
}

async function deactivateBot(tx: Tx, { id, realmId }: Account): Promise<void> {
  const { bot } = await loadAfter(lockGroupGraph(tx, realmId), {
    bot: lockAccount(tx, realmId, id),
  });
  if (!bot) throw noSuchUser();
  checkActive(bot);
  const { events } = await deactivateAccount(tx, null, bot);
  emit(tx, realmId, events);
}

/**
 * Changes the API key of a person or a bot for an operator: after the commit, every process rejects the old key, and
 * polls that used it end.
 * @returns the new key
 * @throws ApiError `BAD_REQUEST`
 */
export async function replaceApiKey(tx: Tx, site: Site, { id, realmId }: Account): Promise<string> {
  const account = await lockAccount(tx, realmId, id);
  if (!account) throw noSuchUser();
  if (!account.isBot) await recordForgetting(tx, account);
  return changeApiKey(tx, site, null, account);
}

/**
 * Sets a person's password for an operator. The API key stays: use `replaceApiKey` if it may have leaked.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function resetPassword(
  db: Database,
  { id, realmId }: Account,
  password: string,
): Promise<void> {
  await checkPassword(password);
  const hash = await hashPassword(password);
  await db.transaction(async (tx) => {
    const account = await lockAccount(tx, realmId, id);
    if (!account) throw noSuchUser();
    if (account.isBot) throw errors.badRequest("Bots have no password");
    await endResets(tx, id);
    const prisma = await tx.prisma();
    await prisma.user.update({
      where: { id: id },
      data: { passwordHash: hash },
      select: { id: true },
    });
    recordAudit(tx, realmId, null, [{ type: "user_password_reset", userId: id }]);
  });
}
