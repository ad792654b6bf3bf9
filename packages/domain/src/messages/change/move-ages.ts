import { errors } from "@carillon/contract";
import {
  type AccessibleMessage,
  type Account,
  hasProtectedHistory,
  moveLimit,
} from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";

import { buffer, isOnlyToggle, type Move } from "./check-move.ts";

const ages = statement({
  name: "ages-in-topic",
  text: `SELECT count(*)::int AS all, count(*) FILTER (WHERE m.sent_at >= now() - make_interval(secs => $4))::int AS movable,
      min(m.id) FILTER (WHERE m.sent_at >= now() - make_interval(secs => $4)) AS "firstMovable"
    FROM messages m WHERE m.recipient_id = $1 AND m.is_channel AND lower(m.topic) = lower($2)
      AND ($3::int IS NULL OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = $3 AND um.message_id = m.id))`,
  row: { all: column.int, movable: column.int, firstMovable: column.bigint.orNull() },
});

/**
 * Whether no message of the topic, of those that the account sees, is too old for it to move.
 * @throws ApiError `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`
 */
export async function checkAges(
  tx: Tx,
  actor: Account,
  { recipientId }: Pick<AccessibleMessage, "recipientId">,
  move: Move,
): Promise<void> {
  if (isOnlyToggle(move)) return;
  const { channel, topic } = move.from;
  const receiver = hasProtectedHistory(channel) ? actor.id : null;
  const found = await tx.first(ages, [recipientId, topic, receiver, moveLimit + buffer]);
  if (!found || found.movable === found.all) return;
  throw errors.moveMessagesTimeLimitExceeded({
    first_message_id_allowed_to_move: found.firstMovable,
    total_messages_in_topic: found.all,
    total_messages_allowed_to_move: found.movable,
  });
}
