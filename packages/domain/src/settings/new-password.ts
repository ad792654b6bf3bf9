import type { Account } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { loginOf } from "../users/api-key.ts";
import { checkPassword } from "../users/check-password.ts";
import type { Guesses } from "../users/guesses.ts";
import { hashPassword, verifyPassword } from "../users/passwords.ts";

/** A change of password that is in order, ready to be stored. */
export interface NewPassword {
  readonly hash: string;
  /** The hash that the old password was held against; it must still be there when the new one is stored. */
  readonly replaces: string | null;
}

const stored = statement({
  name: "password-and-address",
  text: "SELECT password_hash AS hash, lower(delivery_email) AS folded FROM users WHERE id = $1",
  row: { hash: column.text.orNull(), folded: column.text },
});

/**
 * Holds the old password against the stored one and hashes the new one. Outside of any transaction, which it would
 * keep open for 120 ms.
 * @throws ApiError `BAD_REQUEST`, `RATE_LIMIT_HIT`: who has a key guesses no faster than others
 */
export async function prepareNewPassword(
  sql: Sql,
  guesses: Guesses,
  account: Account,
  {
    oldPassword,
    newPassword,
  }: { readonly oldPassword: string | undefined; readonly newPassword: string },
): Promise<NewPassword> {
  await checkPassword(newPassword);
  const [row] = await sql.rows(stored, [account.id]);
  const replaces = row?.hash ?? null;
  const login = loginOf(account.realmId, row?.folded ?? "");
  if (!(await verifyPassword(oldPassword ?? "", replaces, () => guesses.begin(login))))
    throw errors.badRequest("old_password is not your password");
  await guesses.end(login);
  return { hash: await hashPassword(newPassword), replaces };
}
