import {
  type Reader,
  accountColumns,
  accountRow,
  loadFolding,
  loadSight,
  showsAddressTo,
} from "@carillon/model";
import { knowableId } from "@carillon/contract";
import { statement, type Sql } from "@carillon/db";

const byIdOrAddress = statement({
  name: "narrow-users",
  text: `WITH asked AS (SELECT array_agg(lower(a)) AS addresses FROM unnest($3::text[]) AS a)
    SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND (u.id = ANY($2::int[])
      OR lower(u.email) = ANY((SELECT addresses FROM asked)::text[])
      OR lower(u.delivery_email) = ANY((SELECT addresses FROM asked)::text[]))`,
  row: accountRow,
});

/**
 * The ids of the accounts that are named by id, or by an e-mail address: the one that everybody sees, or the
 * delivery address where the viewer may see it. Deactivated accounts and bots are found too; of accounts that the viewer
 * does not see, which it knows as senders, only the ids. Who does not see everybody may name any id: it does not learn
 * which are somebody's (users.md §2.1).
 */
export async function loadUserIds(
  sql: Sql,
  viewer: Reader,
  named: readonly (string | number)[],
): Promise<Map<string | number, number>> {
  const numbers = named.filter((value) => typeof value === "number");
  const ids = numbers.map((id) => knowableId(id));
  const addresses = named.filter((value) => typeof value === "string");
  const [accounts, sight] = await Promise.all([
    sql.rows(byIdOrAddress, [viewer.realmId, ids, addresses]),
    loadSight(sql, viewer),
  ]);
  const seen = accounts.filter(sight.sees);

  const byAddress = new Map<string, number>();
  const { fold } = await loadFolding(sql, [
    ...addresses,
    ...seen.flatMap(({ email, deliveryEmail }) => [email, deliveryEmail]),
  ]);
  for (const account of seen) {
    const revealed = account.id === viewer.id || showsAddressTo(account, viewer.role);
    if (revealed) byAddress.set(fold(account.deliveryEmail), account.id);
  }
  for (const { id, email } of seen) byAddress.set(fold(email), id);

  const found = new Map<string | number, number>();
  for (const { id } of accounts) found.set(id, id);
  if (sight.isRestricted) for (const id of numbers) found.set(id, knowableId(id));
  for (const address of addresses) {
    const id = byAddress.get(fold(address));
    if (id !== undefined) found.set(address, id);
  }
  return found;
}
