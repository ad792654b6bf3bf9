import type { Database } from "@carillon/db";
import { loadAccounts, type Account, type Site } from "@carillon/domain";
import type { Authenticate } from "@carillon/gateway";

/** Looks accounts up as the gateway does. */
export function authenticateWith(db: Database, site: Site): Authenticate<Account> {
  return async ({ email, apiKey }) => {
    const [found] = await db.rows<{ id: number; realmId: number; email: string }>(
      `SELECT id, realm_id AS "realmId", delivery_email AS email FROM users
       WHERE api_key_digest = $1 AND is_active`,
      [site.secrets.digest(apiKey)],
    );
    if (!found) return { refused: "unknown key" };
    if (found.email.toLowerCase() !== email.toLowerCase()) return { refused: "another address" };
    const account = (await loadAccounts(db, found.realmId, [found.id])).get(found.id);
    return account ?? { refused: "unknown account" };
  };
}
