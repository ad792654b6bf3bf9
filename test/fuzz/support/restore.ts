import type { Database } from "@carillon/db";
import type { Account } from "@carillon/model";

/**
 * Remembers what an account could lose by its own requests: its key, its role, itself, its organization.
 * @returns a function that restores it
 */
export async function rememberAccount(
  db: Database,
  account: Account,
): Promise<() => Promise<void>> {
  const user = await db.prisma.user.findUniqueOrThrow({
    where: { id: account.id },
    select: {
      apiKeySealed: true,
      apiKeyDigest: true,
      deliveryEmail: true,
      role: true,
      botOwnerId: true,
      isActive: true,
      deactivatedAt: true,
    },
  });
  return async () => {
    await db.prisma.realm.update({ where: { id: account.realmId }, data: { deactivated: false } });
    await db.prisma.user.update({ where: { id: account.id }, data: user });
  };
}
