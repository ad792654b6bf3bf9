import { notNull, statement, type Tx, typed } from "@carillon/db";
import { type PlannedPush, removePushes } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";
import { flag } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import { accountsInRemoval, maxRemoved } from "./prepare-pushes.ts";

/** Messages that were on an account's devices, ascending. */
export interface PushedMessages {
  readonly userId: number;
  readonly ids: readonly number[];
}

/**
 * Records jobs that remove messages from devices (push.md §9), in the transaction that marks the messages read or
 * deletes them and clears the flag in their copies. Runs no query if there are none.
 */
export async function recordPushRemovals(
  tx: Tx,
  realmId: number,
  pushed: readonly PushedMessages[],
): Promise<void> {
  const removals = pushed.flatMap(({ userId, ids }) =>
    ids.length > 0 ? [{ userId, messageIds: ids.slice(-maxRemoved) }] : [],
  );
  if (removals.length === 0) return;
  const request = uniqueId();
  const starts = removals.flatMap((_, i) => (i % accountsInRemoval === 0 ? [i] : []));
  await recordIntents(
    tx,
    realmId,
    removePushes,
    starts.map((start) => ({
      key: `${request}-${start}`,
      payload: { removals: removals.slice(start, start + accountsInRemoval) },
    })),
  );
}

const overtaken = statement({
  name: "pushes-overtaken",
  text: `SELECT w.user_id AS "userId", json_agg(w.message_id ORDER BY w.message_id) AS ids
    FROM unnest($1::int[], $2::bigint[]) AS w (user_id, message_id)
    WHERE NOT EXISTS (SELECT FROM user_messages um WHERE um.user_id = w.user_id AND um.message_id = w.message_id
      AND um.flags & ${flag.activeMobilePush} <> 0 OFFSET 0)
    GROUP BY w.user_id`,
  overrides: { userId: notNull, ids: typed<readonly number[]>() },
});

/**
 * Records jobs that remove messages which were read or deleted while they were being pushed: their own removal may have
 * reached the devices before the push.
 */
export async function recordOvertaken(
  tx: Tx,
  realmId: number,
  pushes: readonly PlannedPush[],
): Promise<void> {
  if (pushes.length === 0) return;
  const overtakenPushes = await tx.rows(overtaken, [
    pushes.map(({ userId }) => userId),
    pushes.map(({ messageId }) => messageId),
  ]);
  await recordPushRemovals(tx, realmId, overtakenPushes);
}
