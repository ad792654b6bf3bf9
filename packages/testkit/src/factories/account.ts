import type { Database, Prisma } from "@carillon/db";
import { type NewUser, createUser, hashPassword } from "@carillon/domain";
import { type Account, loadAccounts, loadRealm } from "@carillon/model";
import { roles } from "@carillon/contract";
import { testSite } from "../site.ts";
import { unique } from "./unique.ts";

/** An account with its credentials. */
export interface TestAccount extends Account {
  readonly apiKey: string;
}

export { roles };

export interface AccountOverrides extends Partial<NewUser> {
  /** Hashed like a real one, which takes 60 ms; without it the account has no password. */
  readonly password?: string;
  /** False: deactivated after it was created. */
  readonly isActive?: boolean;
  /** Columns that no operation can set yet, written last. */
  readonly row?: Prisma.UserUncheckedUpdateInput;
}

/** Creates an account of the organization, a member by default. */
export async function user(
  db: Database,
  realm: { readonly id: number },
  overrides: AccountOverrides = {},
): Promise<TestAccount> {
  const { password, isActive = true, row, ...given } = overrides;
  const name = unique(given.isBot ? "bot" : "user");
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  const { account, apiKey } = await db.transaction(async (tx) =>
    createUser(tx, testSite(), await loadRealm(tx, realm.id), {
      email: `${name}@carillon.test`,
      fullName: name,
      ...(passwordHash === undefined ? {} : { passwordHash }),
      ...given,
    }),
  );
  if (row) await db.prisma.user.update({ where: { id: account.id }, data: row });
  if (!isActive) await deactivateUser(db, account);
  return { ...(await reload(db, account)), apiKey };
}

/** Creates a generic bot of the owner. */
export function bot(
  db: Database,
  owner: Account,
  overrides: AccountOverrides = {},
): Promise<TestAccount> {
  return user(db, { id: owner.realmId }, { isBot: true, botOwnerId: owner.id, ...overrides });
}

/** Reloads the account. */
export async function reload<A extends Account>(db: Database, account: A): Promise<A> {
  const found = (await loadAccounts(db, account.realmId, [account.id])).get(account.id);
  if (!found) throw new Error(`there is no account ${account.id} any more`);
  return { ...account, ...found };
}

/** Deactivates the account in the database only, without events; its bots stay active. */
export async function deactivateUser(
  db: Database,
  account: { readonly id: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.rows("UPDATE users SET is_active = false, deactivated_at = now() WHERE id = $1", [
      account.id,
    ]);
    await tx.rows(
      `UPDATE channels c SET subscriber_count = subscriber_count - 1 FROM subscriptions s
       WHERE s.channel_id = c.id AND s.user_id = $1 AND s.active AND s.is_user_active`,
      [account.id],
    );
    await tx.rows("UPDATE subscriptions SET is_user_active = false WHERE user_id = $1", [
      account.id,
    ]);
  });
}
