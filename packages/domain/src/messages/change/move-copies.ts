import type { NewEvent } from "@carillon/contract";
import { statement, type Tx, typed } from "@carillon/db";
import { flag, hasProtectedHistory } from "@carillon/model";

import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { readEvents, unstarredEvents } from "../flags/change-flag.ts";
import type { Move } from "./check-move.ts";
import { possibleHolders } from "./copy-holders.ts";

/** Every transaction locks copies in this order. */
const inOrder = "ORDER BY um.user_id, um.message_id FOR NO KEY UPDATE OF um";

const lose = statement({
  name: "copies-lost-by-move",
  text: `WITH asked AS MATERIALIZED (SELECT array(SELECT unnest($3::bigint[])) AS ids), loser AS MATERIALIZED (
      ${possibleHolders({ channel: "$1", ids: "(SELECT ids FROM asked)::bigint[]" })}
      EXCEPT SELECT user_id FROM subscriptions WHERE channel_id = $2 AND active
    ), held AS MATERIALIZED (
      SELECT um.user_id, um.message_id FROM loser JOIN user_messages um
        ON um.user_id = loser.user_id AND um.message_id = ANY((SELECT ids FROM asked)::bigint[])
      ${inOrder}
    ), lost AS (
      DELETE FROM user_messages um USING held WHERE um.user_id = held.user_id AND um.message_id = held.message_id
      RETURNING um.user_id, um.message_id, um.flags
    )
    SELECT lost.user_id AS "userId",
      coalesce(json_agg(message_id ORDER BY message_id) FILTER (WHERE flags & ${flag.read} = 0), '[]') AS unread,
      coalesce(json_agg(message_id ORDER BY message_id) FILTER (WHERE flags & ${flag.starred} <> 0), '[]') AS starred,
      coalesce(json_agg(message_id ORDER BY message_id) FILTER (WHERE flags & ${flag.activeMobilePush} <> 0), '[]') AS pushed
    FROM lost JOIN users u ON u.id = lost.user_id AND u.is_active
    WHERE flags & ${flag.read} = 0 OR flags & ${flag.starred} <> 0 GROUP BY lost.user_id`,
  overrides: {
    unread: typed<readonly number[]>(),
    starred: typed<readonly number[]>(),
    pushed: typed<readonly number[]>(),
  },
});

/**
 * Messages in a channel that the account is not subscribed to count as read (channels.md §11), also after they are
 * moved.
 */
const settle = statement({
  name: "copies-read-by-move",
  text: `WITH held AS MATERIALIZED (
      SELECT um.user_id, um.message_id, um.flags FROM subscriptions next LEFT JOIN subscriptions s
        ON s.channel_id = $1 AND s.user_id = next.user_id AND s.active
      JOIN user_messages um ON um.user_id = next.user_id AND um.message_id = ANY(ARRAY(SELECT unnest($3::bigint[])))
      WHERE next.channel_id = $2 AND next.active AND s.user_id IS NULL AND um.flags & ${flag.read} = 0
      ${inOrder}
    ), read AS (
      UPDATE user_messages um SET flags = um.flags & ~${flag.activeMobilePush} | ${flag.read} FROM held
      WHERE um.user_id = held.user_id AND um.message_id = held.message_id
      RETURNING um.user_id, um.message_id, held.flags & ${flag.activeMobilePush} <> 0 AS pushed
    )
    SELECT read.user_id AS "userId", json_agg(message_id ORDER BY message_id) AS ids,
      coalesce(json_agg(message_id ORDER BY message_id) FILTER (WHERE pushed), '[]') AS pushed
    FROM read JOIN users u ON u.id = read.user_id AND u.is_active GROUP BY read.user_id`,
  overrides: { ids: typed<readonly number[]>(), pushed: typed<readonly number[]>() },
});

const gain = statement({
  name: "copies-gained-by-move",
  text: `INSERT INTO user_messages (user_id, message_id, flags)
    SELECT s.user_id, m.id, ${flag.read} FROM unnest($2::bigint[]) AS m (id) CROSS JOIN subscriptions s
    WHERE s.channel_id = $1 AND s.active ORDER BY m.id, s.user_id ON CONFLICT DO NOTHING`,
});

/**
 * Updates the copies of messages that move to another channel, so that they match the subscriptions of both channels
 * (messages.md §6.2).
 * @param losingAccess accounts that receive an event that the messages are deleted, and so need no flag events
 */
export async function moveCopies(
  tx: Tx,
  realmId: number,
  { from, to }: Move,
  ids: readonly number[],
  losingAccess: ReadonlySet<number>,
): Promise<NewEvent[]> {
  const copies = { name: "copies", keys: ids } as const;
  const lost = await tx.lock(copies, lose, [from.channel.id, to.channel.id, ids]);
  const settled = await tx.lock(copies, settle, [from.channel.id, to.channel.id, ids]);
  if (hasProtectedHistory(to.channel)) await tx.rows(gain, [to.channel.id, ids]);
  await recordPushRemovals(
    tx,
    realmId,
    [...lost, ...settled].map(({ userId, pushed }) => ({ userId, ids: pushed })),
  );
  const others = lost.filter(({ userId }) => !losingAccess.has(userId));
  return [
    ...readEvents([...settled, ...others.map(({ userId, unread }) => ({ userId, ids: unread }))]),
    ...unstarredEvents(others.map(({ userId, starred }) => ({ userId, ids: starred }))),
  ];
}
