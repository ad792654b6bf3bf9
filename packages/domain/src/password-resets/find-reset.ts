import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import type { Realm, Site } from "@carillon/model";

/** Hours for which a link is valid, counted from its request. */
export const resetHours = 24;

const find = statement({
  name: "password-reset-by-key",
  text: `SELECT p.id, p.user_id AS "userId", u.delivery_email AS "deliveryEmail",
      lower(u.delivery_email) AS "foldedEmail"
    FROM password_resets p JOIN users u ON u.id = p.user_id JOIN realms r ON r.id = p.realm_id
    WHERE p.realm_id = $1 AND p.key_digest = $2 AND p.ended_at IS NULL
      AND p.created_at > now() - make_interval(hours => ${resetHours})
      AND u.is_active AND u.delivery_email = p.email AND NOT r.deactivated AND r.password_auth_enabled`,
});

/** A link that works. */
export type UsableReset = RowOf<typeof find>;

/**
 * Finds the password reset of a link; undefined if the link does not work: its key is unknown, used, expired or ended, the
 * account is deactivated or has another address, or passwords are off.
 */
export async function findReset(
  sql: Sql,
  { secrets }: Site,
  realm: Realm,
  key: string,
): Promise<UsableReset | undefined> {
  const [found] = await sql.rows(find, [realm.id, secrets.digest(key)]);
  return found;
}

const end = statement({
  name: "password-resets-end",
  text: "UPDATE password_resets SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL",
});

/** Ends all links of an account whose password changes. The caller has locked the account. */
export async function endResets(tx: Tx, userId: number): Promise<void> {
  await tx.rows(end, [userId]);
}
