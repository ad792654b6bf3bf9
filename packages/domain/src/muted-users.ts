import { errors, mutedUsersChanged } from "@carillon/contract";
import { type RowOf, type Sql, statement, type TransactionPrisma, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, findAccount, lockAccount, noSuchUser } from "@carillon/model";

/**
 * An account that another account has muted.
 * - `timestamp`: when the account was muted, in UNIX seconds.
 */
type MutedUser = RowOf<typeof muted>;

const muted = statement({
  name: "muted-users",
  text: `SELECT muted_user_id AS id, floor(extract(epoch FROM date_muted))::bigint AS timestamp
    FROM muted_users WHERE user_id = $1 ORDER BY date_muted, muted_user_id`,
});

/** Lists the accounts that the account has muted, oldest muting first. */
export function listMutedUsers(sql: Sql, userId: number): Promise<MutedUser[]> {
  return sql.rows(muted, [userId]);
}

/**
 * Mutes an account for the actor, who must see it (clients.md §4). Any kind of account can be muted.
 * @throws ApiError `BAD_REQUEST` for the actor, for an unknown account and for one that is muted already
 */
export async function muteUser(tx: Tx, actor: Account, userId: number): Promise<void> {
  if (userId === actor.id) throw errors.badRequest("You cannot mute yourself");
  await requireSeen(tx, actor, userId);
  const count = await change(tx, actor, userId, (prisma, pair) =>
    prisma.mutedUser.createMany({ data: pair, skipDuplicates: true }),
  );
  if (count === 0) throw errors.badRequest("You have muted this user already");
}

/**
 * Unmutes an account, which the actor need not see any more.
 * @throws ApiError `BAD_REQUEST` for an unknown account and for one that is not muted
 */
export async function unmuteUser(tx: Tx, actor: Account, userId: number): Promise<void> {
  const count = await change(tx, actor, userId, (prisma, pair) =>
    prisma.mutedUser.deleteMany({ where: pair }),
  );
  if (count > 0) return;
  await requireSeen(tx, actor, userId);
  throw errors.badRequest("You have not muted this user");
}

/**
 * Checks that the actor sees the account (users.md §2.1).
 * @throws ApiError `BAD_REQUEST` if not
 */
async function requireSeen(tx: Tx, actor: Account, userId: number): Promise<void> {
  if (!(await findAccount(tx, actor, String(userId)))) throw noSuchUser();
}

/**
 * Changes the account's muted users under its lock, so that its clients receive the lists in the order of the changes.
 * @returns how many rows have changed; no event is sent if none has
 */
async function change(
  tx: Tx,
  actor: Account,
  userId: number,
  write: (
    prisma: TransactionPrisma,
    pair: { userId: number; mutedUserId: number },
  ) => Promise<{ count: number }>,
): Promise<number> {
  await lockAccount(tx, actor.realmId, actor.id);
  const prisma = await tx.prisma();
  const { count } = await write(prisma, { userId: actor.id, mutedUserId: userId });
  if (count === 0) return count;
  const muted = await listMutedUsers(tx, actor.id);
  emit(tx, actor.realmId, [mutedUsersChanged({ muted_users: muted }, { audience: [actor.id] })]);
  return count;
}
