import { errors, mutedUsersChanged } from "@carillon/contract";
import {
  column,
  type RowOf,
  type Sql,
  statement,
  type TransactionPrisma,
  type Tx,
} from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, findAccount, lockAccount, noSuchUser } from "@carillon/model";

const row = {
  id: column.int,
  /** UNIX seconds: since when. */
  timestamp: column.bigint,
};

/** Somebody whom an account does not want to hear from. */
type MutedUser = RowOf<typeof row>;

const muted = statement({
  name: "muted-users",
  text: `SELECT muted_user_id AS id, floor(extract(epoch FROM date_muted))::bigint AS timestamp
    FROM muted_users WHERE user_id = $1 ORDER BY date_muted, muted_user_id`,
  row,
});

/** Everybody whom the account has muted, the first one first. */
export function listMutedUsers(sql: Sql, userId: number): Promise<MutedUser[]> {
  return sql.rows(muted, [userId]);
}

/**
 * Mutes an account that the actor sees, whatever it is, for the actor (clients.md §4).
 * @throws ApiError `BAD_REQUEST` for oneself, for an unknown account and for one that is muted already
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
 * Takes the muting of an account back, also of one that the actor no longer sees.
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

/** @throws ApiError `BAD_REQUEST` where the actor sees no such account (users.md §2.1) */
async function requireSeen(tx: Tx, actor: Account, userId: number): Promise<void> {
  if (!(await findAccount(tx, actor, String(userId)))) throw noSuchUser();
}

/**
 * One change at a time for an account: the lists that it is told follow each other as the changes do.
 * @returns how many rows have changed; nothing is told of none
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
