import { knowableId } from "@carillon/contract";
import { notNull, type Sql, statement, type Tx } from "@carillon/db";

import {
  type Account,
  accountColumns,
  accountOverrides,
  type ActiveAccount,
  loadActiveAccounts,
  noSuchActiveUser,
} from "./account.ts";
import { showsAddressTo } from "./addresses.ts";
import { loadUserVisibility } from "./user-visibility.ts";

const byId = statement({
  name: "account-by-id",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  overrides: accountOverrides,
});

const byAddress = statement({
  name: "account-by-address",
  text: `SELECT lower(u.email) = lower($2) AS "byPublicAddress", ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND (lower(u.email) = lower($2) OR lower(u.delivery_email) = lower($2))
    ORDER BY 1 DESC`,
  overrides: { byPublicAddress: notNull, ...accountOverrides },
});

/**
 * Finds the organization's account by ID (digits) or e-mail address; undefined if the viewer cannot see it. A delivery
 * address matches only if the viewer may see it (users.md §2).
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

/** Accounts named by a request: ids or e-mail addresses. */
export type Principals = readonly number[] | readonly string[];

/**
 * Returns the named active accounts, or the actor if none is named. Locks them and the actor in shared mode, so that they
 * stay active until the transaction ends.
 * @throws ApiError `BAD_REQUEST` if one is unknown, deactivated, or invisible to the actor
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

/** Uses two index lookups: a condition with OR would compare every account with every address. */
const byAddresses = statement({
  name: "accounts-by-address",
  text: `WITH wanted AS (SELECT DISTINCT w AS wanted, lower(w) AS address FROM unnest($2::text[]) AS w)
    SELECT wanted, true AS "byPublicAddress", ${addressed}
    FROM wanted JOIN users u ON u.realm_id = $1 AND lower(u.email) = address
    UNION ALL
    SELECT wanted, false, ${addressed}
    FROM wanted JOIN users u ON u.realm_id = $1 AND lower(u.delivery_email) = address
      AND lower(u.email) <> lower(u.delivery_email)`,
  overrides: { wanted: notNull },
});

/** Resolves addresses to ids. A delivery address matches only if the actor may see it. */
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
