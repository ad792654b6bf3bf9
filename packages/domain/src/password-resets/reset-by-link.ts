import type { Database, Sql } from "@carillon/db";
import { sendMail } from "@carillon/jobs";
import { lockAccount, type Realm, type Site, writeAudit } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { recordForgetting } from "../push/devices/legacy-tokens.ts";
import { changeApiKey, type Guesses, loginOf } from "../users/api-key.ts";
import { checkPassword, hashPassword } from "../users/passwords.ts";
import { endResets, findReset } from "./find-reset.ts";

/** The input of the form. */
export interface NewPasswordInput {
  readonly key: string;
  readonly password: string;
  /** Whether to replace the API key too. */
  readonly newApiKey: boolean;
}

/**
 * Sets the password by a mailed link, ends all links of the account, and records a mail about it (people.md §4.1).
 * Checks and hashes the password before the transaction begins, and only for a link that works.
 * @returns whether the link worked
 * @throws ApiError `BAD_REQUEST` for a password that is not accepted
 */
export async function resetByLink(
  db: Database,
  site: Site,
  guesses: Guesses,
  realm: Realm,
  { key, password, newApiKey }: NewPasswordInput,
): Promise<boolean> {
  const find = (sql: Sql) => findReset(sql, site, realm, key);
  const found = await find(db);
  if (!found) return false;
  await checkPassword(password);
  const passwordHash = await hashPassword(password);
  const isDone = await db.transaction(async (tx) => {
    const account = await lockAccount(tx, realm.id, found.userId);
    // Another request may have used the link before this one got the lock.
    if (!account || !(await find(tx))) return false;
    await endResets(tx, account.id);
    const prisma = await tx.prisma();
    await prisma.user.update({
      where: { id: account.id },
      data: { passwordHash },
      select: { id: true },
    });
    const [auditId = 0] = await writeAudit(tx, realm.id, account.id, [
      {
        type: "user_password_reset",
        userId: account.id,
        data: { by: "link", new_api_key: newApiKey },
      },
    ]);
    const kind = "password-changed";
    await recordIntents(tx, realm.id, sendMail, [
      { key: `${kind}-${auditId}`, payload: { kind, auditId } },
    ]);
    if (newApiKey) {
      await recordForgetting(tx, account);
      await changeApiKey(tx, site, account.id, account);
    }
    return true;
  });
  if (isDone) await guesses.end(loginOf(realm.id, found.foldedEmail));
  return isDone;
}
