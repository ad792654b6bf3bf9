import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { accountColumns, accountRow, type Account } from "./account.ts";

const ofPeople = "u.realm_id = $1 AND u.system_bot_kind IS NULL";

const change = statement({
  name: "account-for-change",
  text: `SELECT ${accountColumns} FROM users u WHERE ${ofPeople} AND u.id = $2 FOR NO KEY UPDATE`,
  row: accountRow,
});

const hold = statement({
  name: "account-for-share",
  text: `SELECT ${accountColumns} FROM users u WHERE ${ofPeople} AND u.id = $2 FOR SHARE`,
  row: accountRow,
});

/**
 * The organization's account with this id, deactivated ones too, which nobody else changes or holds until the
 * transaction ends; not the organization's own bots.
 */
export async function lockAccount(
  tx: Tx,
  realmId: number,
  userId: number,
): Promise<Account | undefined> {
  return (await tx.lock({ name: "accounts", keys: [userId] }, change, [realmId, userId]))[0];
}

/** The same, as it stays until the transaction ends, while others may hold it too. */
export async function holdAccount(
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
  row: accountRow,
});

/** Locks several accounts in the one order of accounts; by id, without those that are not there. */
export async function lockAccounts(
  tx: Tx,
  realmId: number,
  userIds: readonly number[],
): Promise<Map<number, Account>> {
  const rows = await tx.lock({ name: "accounts", keys: userIds }, changeAll, [realmId, userIds]);
  return new Map(rows.map((account) => [account.id, account]));
}

const withBots = statement({
  name: "account-with-bots-for-change",
  text: `SELECT ${accountColumns} FROM users u
    WHERE ${ofPeople} AND (u.id = $2 OR u.bot_owner_id = $2 AND u.is_bot)
    ORDER BY u.id FOR NO KEY UPDATE`,
  row: accountRow,
});

/**
 * Locks an account and all its bots, deactivated ones too, in the one order of accounts. While the group graph is held,
 * no bot comes to it.
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
  row: accountRow,
});

/** Locks an account and, of a bot, the owner that it had when the statement began. */
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

/** The refusal of an id that is no account's, or another organization's. */
export function noSuchUser() {
  return errors.badRequest("There is no such user");
}

const currently = statement({
  name: "account-now",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  row: accountRow,
});

/**
 * The acting account as it is by now, after the locks of the change were had: who lost a race may have lost more.
 * @throws ApiError `UNAUTHORIZED` when it is deactivated
 */
export async function currentActor(tx: Tx, actor: Account): Promise<Account> {
  const now = await tx.first(currently, [actor.realmId, actor.id]);
  if (!now?.isActive) throw errors.unauthorized();
  return now;
}
