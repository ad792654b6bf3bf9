import type { Database } from "@carillon/db";
import type { Account } from "@carillon/model";

/**
 * What an account could lose by a request of its own: its key, its role, itself, its organization.
 * @returns gives it back
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
