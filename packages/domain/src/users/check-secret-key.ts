import type { Secrets } from "@carillon/model";
import { statement, type Sql } from "@carillon/db";
import { StartupError } from "@carillon/kit";

const oldest = statement({
  name: "check-secret-key",
  text: "SELECT api_key_sealed AS sealed FROM users ORDER BY id LIMIT 1",
});

/**
 * Checks these secrets against one account of the database: with wrong ones, every credential would be rejected, and
 * new keys would be sealed with a different secret.
 * @throws StartupError that names SECRET_KEY
 */
export async function checkSecretKey(sql: Sql, secrets: Secrets): Promise<void> {
  const [account] = await sql.rows(oldest, []);
  if (!account) return;
  try {
    secrets.open(account.sealed);
  } catch {
    throw new StartupError(
      "SECRET_KEY is not the one that sealed the API keys in this database: set it to what it was when the first account was made",
    );
  }
}
