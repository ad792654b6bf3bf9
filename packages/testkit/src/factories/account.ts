import { randomBytes, scryptSync } from "node:crypto";
import type { Database, Prisma } from "@carillon/db";
import { type NewUser, createUser } from "@carillon/domain";
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
  /** Stored under a cheap hash ({@link hashCheaply}); without it the account has no password. */
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
  const passwordHash = password === undefined ? undefined : hashCheaply(password);
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
  const isChanged = row !== undefined || !isActive;
  return { ...(isChanged ? await reload(db, account) : account), apiKey };
}

/**
 * Hashes a password in the product's format with little work. A real hash costs 60 ms of a processor when it is made
 * and at each log-in; a hash names its cost, so a log-in with this one takes less than a millisecond.
 */
function hashCheaply(password: string): string {
  const cost = { N: 16, r: 8, p: 1 };
  const salt = randomBytes(16);
  const key = scryptSync(password.normalize("NFKC"), salt, 32, cost);
  const encoded = [salt, key].map((bytes) => bytes.toString("base64"));
  return ["scrypt", ...Object.values(cost), ...encoded].join("$");
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
