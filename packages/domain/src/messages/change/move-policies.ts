import type { NewEvent } from "@carillon/contract";
import { notNull, type RowOf, statement, type Tx } from "@carillon/db";
import { storeTopicPolicies, topicPolicyEvents, visibilityPolicy } from "@carillon/model";

import type { Move } from "./check-move.ts";

const { inherit, muted, unmuted, followed } = visibilityPolicy;

/** Rows of both topics, locked in the order in which every transaction writes them. */
const hold = statement({
  name: "topic-policies-to-move",
  text: `SELECT user_id AS id, user_id AS "userId", channel_id AS "channelId", topic, visibility_policy AS policy,
      channel_id = $1 AND lower(topic) = lower($2) AS "isOld"
    FROM user_topics WHERE (channel_id = $1 AND lower(topic) = lower($2)) OR (channel_id = $3 AND lower(topic) = lower($4))
    ORDER BY user_id, channel_id, lower(topic) FOR NO KEY UPDATE`,
  overrides: {
    /** Whether the row belongs to the source topic. */
    isOld: notNull,
  },
});

const forget = statement({
  name: "topic-policies-forget",
  text: `DELETE FROM user_topics t USING unnest($1::int[], $2::int[], $3::text[]) AS gone (user_id, channel_id, topic)
    WHERE t.user_id = gone.user_id AND t.channel_id = gone.channel_id AND t.topic = gone.topic
    RETURNING extract(epoch FROM now())::int AS "lastUpdated"`,
});

/** When two topics become one, an account keeps the policy that is later in this list. */
const weakestFirst: readonly number[] = [muted, inherit, unmuted, followed];

/**
 * Moves the visibility policies of a topic whose messages were all moved, as far as the actor can see them (messages.md
 * §6.2). Accounts that may not read the target channel lose theirs.
 * @param merges whether the target topic had messages before
 * @param canRead whether an account may read the target channel
 */
export async function movePolicies(
  tx: Tx,
  { from, to }: Move,
  merges: boolean,
  canRead: (userId: number) => boolean,
): Promise<NewEvent[]> {
  const rows = await tx.lock({ name: "topicPolicies" }, hold, [
    from.channel.id,
    from.topic,
    to.channel.id,
    to.topic,
  ]);
  const old = new Map(rows.flatMap((one) => (one.isOld ? [[one.userId, one] as const] : [])));
  const present = new Map(rows.flatMap((one) => (one.isOld ? [] : [[one.userId, one] as const])));
  const wanted = [...new Set(rows.map(({ userId }) => userId))].filter(canRead).map((userId) => {
    const [was, is] = [old.get(userId)?.policy ?? inherit, present.get(userId)?.policy ?? inherit];
    return { userId, is, policy: merges ? stronger(was, is) : was };
  });
  const changed = wanted.filter(({ is, policy }) => is !== policy);
  const dropped = changed.flatMap(({ userId, policy }) => {
    const row = present.get(userId);
    return policy === inherit && row ? [row] : [];
  });
  const set = changed.filter(({ policy }) => policy !== inherit);
  return topicPolicyEvents([
    ...(await removePolicies(tx, [...old.values(), ...dropped])),
    ...(await storeTopicPolicies(
      tx,
      set.map(({ userId, policy }) => ({
        userId,
        channelId: to.channel.id,
        topic: to.topic,
        policy,
      })),
    )),
  ]);
}

function stronger(one: number, other: number): number {
  return weakestFirst.indexOf(one) > weakestFirst.indexOf(other) ? one : other;
}

async function removePolicies(tx: Tx, rows: ReadonlyArray<RowOf<typeof hold>>) {
  if (rows.length === 0) return [];
  const [forgotten] = await tx.rows(forget, [
    rows.map(({ userId }) => userId),
    rows.map(({ channelId }) => channelId),
    rows.map(({ topic }) => topic),
  ]);
  const lastUpdated = forgotten?.lastUpdated ?? 0;
  return rows.map(({ userId, channelId, topic }) => ({
    userId,
    channelId,
    topic,
    policy: inherit,
    lastUpdated,
  }));
}
