import { type Account, lockAccount } from "@carillon/model";
import { errors, mutedUsersChanged } from "@carillon/contract";
import type { TransactionPrisma, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { listMutedUsers } from "./muted-users.ts";

/**
 * Mutes an account of the organization, whatever it is, for the actor (clients.md §4).
 * @throws ApiError `BAD_REQUEST` for oneself, for an unknown account and for one that is muted already
 */
export async function muteUser(tx: Tx, actor: Account, userId: number): Promise<void> {
  if (userId === actor.id) throw errors.badRequest("You cannot mute yourself");
  await change(tx, actor, userId, "You have muted this user already", (prisma, pair) =>
    prisma.mutedUser.createMany({ data: pair, skipDuplicates: true }),
  );
}

/**
 * Takes the muting of an account back.
 * @throws ApiError `BAD_REQUEST` for an unknown account and for one that is not muted
 */
export async function unmuteUser(tx: Tx, actor: Account, userId: number): Promise<void> {
  await change(tx, actor, userId, "You have not muted this user", (prisma, pair) =>
    prisma.mutedUser.deleteMany({ where: pair }),
  );
}

/** One change at a time for an account: the lists that it is told follow each other as the changes do. */
async function change(
  tx: Tx,
  actor: Account,
  userId: number,
  noChange: string,
  write: (
    prisma: TransactionPrisma,
    pair: { userId: number; mutedUserId: number },
  ) => Promise<{ count: number }>,
): Promise<void> {
  const prisma = await tx.prisma();
  const found = await prisma.user.count({ where: { realmId: actor.realmId, id: userId } });
  if (found === 0) throw errors.badRequest("There is no such user");
  await lockAccount(tx, actor.realmId, actor.id);
  const { count } = await write(prisma, { userId: actor.id, mutedUserId: userId });
  if (count === 0) throw errors.badRequest(noChange);
  const muted = await listMutedUsers(tx, actor.id);
  emit(tx, actor.realmId, [mutedUsersChanged({ muted_users: muted }, { audience: [actor.id] })]);
}
