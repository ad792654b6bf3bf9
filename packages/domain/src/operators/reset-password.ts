import { type Account, lockAccount, noSuchUser, recordAudit } from "@carillon/model";
import { errors } from "@carillon/contract";
import { statement, type Database } from "@carillon/db";

import { checkPassword } from "../users/check-password.ts";
import { hashPassword } from "../users/passwords.ts";

const store = statement({
  name: "password-store",
  text: "UPDATE users SET password_hash = $2 WHERE id = $1",
  row: {},
});

/**
 * Gives a person another password on behalf of an operator. Its API key stays: see `replaceApiKey` for one that somebody
 * else may have.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function resetPassword(
  db: Database,
  { id, realmId }: Account,
  password: string,
): Promise<void> {
  await checkPassword(password);
  const hash = await hashPassword(password);
  await db.transaction(async (tx) => {
    const account = await lockAccount(tx, realmId, id);
    if (!account) throw noSuchUser();
    if (account.isBot) throw errors.badRequest("Bots have no password");
    await tx.rows(store, [id, hash]);
    recordAudit(tx, realmId, null, [{ type: "user_password_reset", userId: id }]);
  });
}
