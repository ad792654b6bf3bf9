import { knowableId } from "@carillon/contract";
import { column, type Sql, statement, type Tx } from "@carillon/db";

import {
  type Account,
  accountColumns,
  accountRow,
  type ActiveAccount,
  loadActiveAccounts,
  noSuchActiveUser,
} from "./account.ts";
import { showsAddressTo } from "./addresses.ts";
import { loadUserVisibility } from "./user-visibility.ts";

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
  const [found, userVisibility] = await Promise.all([
    accountNamed(sql, viewer, named),
    loadUserVisibility(sql, viewer),
  ]);
  return found && userVisibility.sees(found) ? found : undefined;
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

/** Accounts as a request names them: by ids or by e-mail addresses. */
export type Principals = readonly number[] | readonly string[];

/**
 * The active accounts that the actor means; nobody named means the actor. They stay active until the transaction ends,
 * the actor too, who may be on the way out.
 * @throws ApiError `BAD_REQUEST` when one is unknown, deactivated, or nobody whom the actor sees
 */
export async function loadPrincipals(
  tx: Tx,
  actor: Account,
  principals: Principals | undefined,
): Promise<ActiveAccount[]> {
  if (!principals || principals.length === 0)
    return loadActiveAccounts(tx, actor.realmId, [actor.id]);
  const ids = isEmails(principals) ? await idsOf(tx, actor, principals) : principals;
  const [accounts, userVisibility] = await Promise.all([
    loadActiveAccounts(tx, actor.realmId, ids),
    loadUserVisibility(tx, actor),
  ]);
  if (!accounts.every(userVisibility.sees)) throw noSuchActiveUser();
  return accounts;
}

function isEmails(principals: Principals): principals is readonly string[] {
  return typeof principals[0] === "string";
}

const addressed = `u.id, u.is_bot AS "isBot", u.email_address_visibility AS "emailAddressVisibility"`;

/** Two look-ups by index: one with OR would compare every account with every address. */
const byAddresses = statement({
  name: "accounts-by-address",
  text: `WITH wanted AS (SELECT DISTINCT w AS wanted, lower(w) AS address FROM unnest($2::text[]) AS w)
    SELECT wanted, true AS "byPublicAddress", ${addressed}
    FROM wanted JOIN users u ON u.realm_id = $1 AND lower(u.email) = address
    UNION ALL
    SELECT wanted, false, ${addressed}
    FROM wanted JOIN users u ON u.realm_id = $1 AND lower(u.delivery_email) = address
      AND lower(u.email) <> lower(u.delivery_email)`,
  row: {
    wanted: column.text,
    byPublicAddress: column.bool,
    id: column.int,
    isBot: column.bool,
    emailAddressVisibility: column.int,
  },
});

/** A delivery address names nobody whose address the actor cannot see. */
async function idsOf(tx: Tx, actor: Account, emails: readonly string[]): Promise<number[]> {
  const wanted = emails.map((email) => email.trim());
  const rows = await tx.rows(byAddresses, [actor.realmId, wanted]);
  const found = new Map(
    rows
      .filter(
        (account) =>
          account.byPublicAddress || account.id === actor.id || showsAddressTo(account, actor.role),
      )
      .map((account) => [account.wanted, account.id]),
  );
  return wanted.map((email) => {
    const id = found.get(email);
    if (id === undefined) throw noSuchActiveUser();
    return id;
  });
}
