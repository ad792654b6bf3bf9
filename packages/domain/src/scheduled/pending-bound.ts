import { bounds, errors } from "@carillon/contract";
import { lockClass, undelivered, type Tx } from "@carillon/db";

/** So close to the bound, one request of the account counts at a time: no more of them run at once, by far. */
const nearby = 100;

const count = {
  name: "scheduled-pending-count",
  text: `SELECT count(*)::int AS pending FROM (
      SELECT FROM scheduled_messages s WHERE sender_id = $1 AND ${undelivered("s")} LIMIT $2
    ) pending`,
};

/**
 * Whether the account may schedule one more (http-contract.md §8.1). Far from the bound it takes a look at an index, and
 * no lock.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkPendingBound(tx: Tx, senderId: number): Promise<void> {
  if ((await pendingOf(tx, senderId)) < bounds.pendingMessages - nearby) return;
  await tx.rows("SELECT pg_advisory_xact_lock($1, $2)", [lockClass.pendingMessages, senderId]);
  if ((await pendingOf(tx, senderId)) >= bounds.pendingMessages)
    throw errors.badRequest(
      `You have ${bounds.pendingMessages} scheduled messages that are not sent, and cannot schedule more`,
    );
}

async function pendingOf(tx: Tx, senderId: number): Promise<number> {
  const row = await tx.first<{ pending: number }>(count, [senderId, bounds.pendingMessages]);
  return row?.pending ?? 0;
}
