import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { accountColumns, accountRow, type Account } from "./account.ts";

const texts = {
  "FOR UPDATE": "account-for-update",
  "FOR NO KEY UPDATE": "account-for-change",
  "FOR SHARE": "account-for-share",
} as const;

/**
 * The organization's account with this id, deactivated ones too, as it stays until the transaction ends; not the
 * organization's own bots. Accounts are locked before the organization's row, everywhere.
 * @param strength `FOR UPDATE` keeps new bots and subscriptions of the account away, too
 */
export async function lockAccount(
  tx: Tx,
  realmId: number,
  userId: number,
  strength: keyof typeof texts,
): Promise<Account | undefined> {
  const text = `SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND u.id = $2 AND u.system_bot_kind IS NULL ${strength}`;
  return tx.first<Account>({ name: texts[strength], text }, [realmId, userId]);
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
