import { knowableId } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { accountColumns, accountRow, type Account } from "./account.ts";
import { showsAddressTo } from "./address-viewers.ts";
import { loadSight } from "./sight.ts";

const byId = statement({
  name: "account-by-id",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  row: accountRow,
});

const byAddress = statement({
  name: "account-by-address",
  text: `SELECT lower(u.email) = lower($2) AS "byPublicAddress", ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND (lower(u.email) = lower($2) OR lower(u.delivery_email) = lower($2))
    ORDER BY 1 DESC`,
  row: { byPublicAddress: column.bool, ...accountRow },
});

/**
 * The organization's account that the viewer names by its ID, in digits, or by an e-mail address; undefined when there
 * is none that the viewer sees. A delivery address names nobody whose address the viewer may not see (users.md §2).
 */
export async function findAccount(
  sql: Sql,
  viewer: Account,
  named: string,
): Promise<Account | undefined> {
  const [found, sight] = await Promise.all([
    accountNamed(sql, viewer, named),
    loadSight(sql, viewer),
  ]);
  return found && sight.sees(found) ? found : undefined;
}

async function accountNamed(sql: Sql, viewer: Account, named: string) {
  if (/^[0-9]+$/.test(named)) {
    const [account] = await sql.rows(byId, [viewer.realmId, knowableId(Number(named))]);
    return account;
  }
  const accounts = await sql.rows(byAddress, [viewer.realmId, named]);
  return accounts.find(
    (account) =>
      account.byPublicAddress || account.id === viewer.id || showsAddressTo(account, viewer.role),
  );
}
