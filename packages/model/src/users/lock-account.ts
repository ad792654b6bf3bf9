import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { accountColumns, accountOverrides, type Account } from "./account.ts";

const ofPeople = "u.realm_id = $1 AND u.system_bot_kind IS NULL";

const change = statement({
  name: "account-for-change",
  text: `SELECT ${accountColumns} FROM users u WHERE ${ofPeople} AND u.id = $2 FOR NO KEY UPDATE`,
  overrides: accountOverrides,
});

const hold = statement({
  name: "account-for-share",
  text: `SELECT ${accountColumns} FROM users u WHERE ${ofPeople} AND u.id = $2 FOR SHARE`,
  overrides: accountOverrides,
});

/**
 * Locks and returns the organization's account with this id, which may be deactivated, until the transaction ends; not
 * system bots.
 */
export async function lockAccount(
  tx: Tx,
  realmId: number,
  userId: number,
): Promise<Account | undefined> {
  return (await tx.lock({ name: "accounts", keys: [userId] }, change, [realmId, userId]))[0];
}

/** Locks the account in shared mode until the transaction ends. */
export async function lockAccountShared(
  tx: Tx,
  realmId: number,
  userId: number,
): Promise<Account | undefined> {
  const lock = { name: "accounts", keys: [userId], shared: true } as const;
  return (await tx.lock(lock, hold, [realmId, userId]))[0];
}

const changeAll = statement({
  name: "accounts-for-change",
  text: `SELECT ${accountColumns} FROM users u WHERE ${ofPeople} AND u.id = ANY($2::int[])
    ORDER BY u.id FOR NO KEY UPDATE`,
  overrides: accountOverrides,
});

/** Locks several accounts in the order of ids; returns the existing ones by id. */
export async function lockAccounts(
  tx: Tx,
  realmId: number,
  userIds: readonly number[],
): Promise<Map<number, Account>> {
  const rows = await tx.lock({ name: "accounts", keys: userIds }, changeAll, [realmId, userIds]);
  return new Map(rows.map((account) => [account.id, account]));
}

const tryChangeAll = statement({
  name: "accounts-try-for-change",
  text: `SELECT u.id, u.is_active AS "isActive" FROM users u WHERE ${ofPeople} AND u.id = ANY($2::int[])
    FOR NO KEY UPDATE SKIP LOCKED`,
});

/** Locks those of the accounts that no other transaction has locked, without waiting; returns them by id. */
export async function tryLockAccounts(
  tx: Tx,
  realmId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Pick<Account, "id" | "isActive">>> {
  const rows = await tx.rows(tryChangeAll, [realmId, userIds]);
  return new Map(rows.map((account) => [account.id, account]));
}

const withBots = statement({
  name: "account-with-bots-for-change",
  text: `SELECT ${accountColumns} FROM users u
    WHERE ${ofPeople} AND (u.id = $2 OR u.bot_owner_id = $2 AND u.is_bot)
    ORDER BY u.id FOR NO KEY UPDATE`,
  overrides: accountOverrides,
});

/**
 * Locks an account and all its bots, including deactivated ones, in the order of ids. The caller's lock of the group
 * graph prevents new bots.
 */
export async function lockAccountWithBots(
  tx: Tx,
  realmId: number,
  userId: number,
): Promise<{ account: Account | undefined; bots: Account[] }> {
  const locked = await tx.lock({ name: "accounts" }, withBots, [realmId, userId]);
  return {
    account: locked.find(({ id }) => id === userId),
    bots: locked.filter(({ id }) => id !== userId),
  };
}

const withOwner = statement({
  name: "account-with-owner-for-change",
  text: `SELECT ${accountColumns} FROM users u
    WHERE ${ofPeople}
      AND u.id IN ($2, (SELECT b.bot_owner_id FROM users b WHERE b.realm_id = $1 AND b.id = $2))
    ORDER BY u.id FOR NO KEY UPDATE`,
  overrides: accountOverrides,
});

/** Locks an account and, if it is a bot, the owner that it had when the statement began. */
export async function lockAccountWithOwner(
  tx: Tx,
  realmId: number,
  userId: number,
): Promise<{ account: Account | undefined; owner: Account | undefined }> {
  const locked = await tx.lock({ name: "accounts" }, withOwner, [realmId, userId]);
  return {
    account: locked.find(({ id }) => id === userId),
    owner: locked.find(({ id }) => id !== userId),
  };
}

/** The error for an id of no account, or of another organization's. */
export function noSuchUser() {
  return errors.badRequest("There is no such user");
}

const currently = statement({
  name: "account-now",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  overrides: accountOverrides,
});

/**
 * Loads the actor's current state, after the locks of the change were taken: it may have changed while waiting.
 * @throws ApiError `UNAUTHORIZED` if it is deactivated
 */
export async function currentActor(tx: Tx, actor: Account): Promise<Account> {
  const now = await tx.first(currently, [actor.realmId, actor.id]);
  if (!now?.isActive) throw errors.unauthorized();
  return now;
}
