import { bounds, errors } from "@carillon/contract";
import { lockKey, notNull, statement, type Tx } from "@carillon/db";
import { countsTowardsBound } from "@carillon/scheduling";

/**
 * Distance from the bound within which {@link checkPendingBound} counts under a lock. Much greater than the number of an
 * account's concurrent requests, so that they cannot exceed the bound together.
 */
const lockedDistance = 500;

const count = statement({
  name: "scheduled-pending-count",
  text: `SELECT a.sender_id AS "senderId", (
      SELECT count(*)::int FROM (
        SELECT FROM scheduled_messages s
        WHERE s.sender_id = a.sender_id AND ${countsTowardsBound("s")} LIMIT $2
      ) pending
    ) AS pending FROM unnest($1::int[]) AS a (sender_id)`,
  overrides: { senderId: notNull },
});

/** Whether the count is so near to the bound that {@link checkPendingBound} takes its lock. */
export function isNearPendingBound(counted: number): boolean {
  return counted >= bounds.pendingMessages - lockedDistance;
}

/**
 * Checks that the account may have one more scheduled message or reminder (http-contract.md §8.1). Far from the bound this
 * costs nothing.
 * @param counted from {@link countPending}, in the same transaction
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkPendingBound(tx: Tx, senderId: number, counted: number): Promise<void> {
  if (!isNearPendingBound(counted)) return;
  await lockKey(tx, "pendingMessages", senderId);
  if ((await countPending(tx, [senderId])).get(senderId)! >= bounds.pendingMessages)
    throw errors.badRequest(
      `You have ${bounds.pendingMessages} scheduled messages and reminders that are not sent, and cannot have more`,
    );
}

/**
 * Counts the unsent messages and reminders of each account, up to the bound. The planned occurrence of a series does not
 * count: series have a bound of their own. An occurrence that was edited apart from its series does.
 */
export async function countPending(
  tx: Tx,
  senderIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await tx.rows(count, [[...new Set(senderIds)], bounds.pendingMessages]);
  return new Map(rows.map(({ senderId, pending }) => [senderId, pending]));
}
