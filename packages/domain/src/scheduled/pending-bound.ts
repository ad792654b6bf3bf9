import { bounds, errors } from "@carillon/contract";
import { column, lockKey, statement, undelivered, type Tx } from "@carillon/db";

/** So close to the bound, one request of the account counts at a time: no more of them run at once, by far. */
const nearby = 100;

const count = statement({
  name: "scheduled-pending-count",
  text: `SELECT count(*)::int AS pending FROM (
      SELECT FROM scheduled_messages s WHERE sender_id = $1 AND ${undelivered("s")} LIMIT $2
    ) pending`,
  row: { pending: column.int },
});

/**
 * Whether the account may have one more scheduled message or reminder (http-contract.md §8.1). Far from the bound it has taken a look at an index,
 * and no lock.
 * @param counted from {@link countPending}, in the same transaction
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkPendingBound(tx: Tx, senderId: number, counted: number): Promise<void> {
  if (counted < bounds.pendingMessages - nearby) return;
  await lockKey(tx, "pendingMessages", senderId);
  if ((await countPending(tx, senderId)) >= bounds.pendingMessages)
    throw errors.badRequest(
      `You have ${bounds.pendingMessages} scheduled messages and reminders that are not sent, and cannot have more`,
    );
}

/** How many messages and reminders of the account are not sent yet, those past the bound left out. */
export async function countPending(tx: Tx, senderId: number): Promise<number> {
  const row = await tx.first(count, [senderId, bounds.pendingMessages]);
  return row?.pending ?? 0;
}
