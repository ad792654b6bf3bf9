import { column, statement, type RowOf, type Tx } from "@carillon/db";
import { topicPolicyEvents, visibilityPolicy } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";

import type { Move } from "./check-move.ts";

const { inherit, muted, unmuted, followed } = visibilityPolicy;

const row = {
  id: column.int,
  userId: column.int,
  channelId: column.int,
  topic: column.text,
  policy: column.int,
  /** Whether it is of the topic that the messages were in. */
  isOld: column.bool,
};

/** Rows of the two topics, in the order in which everybody writes them. */
const hold = statement({
  name: "topic-policies-to-move",
  text: `SELECT user_id AS id, user_id AS "userId", channel_id AS "channelId", topic, visibility_policy AS policy,
      channel_id = $1 AND lower(topic) = lower($2) AS "isOld"
    FROM user_topics WHERE (channel_id = $1 AND lower(topic) = lower($2)) OR (channel_id = $3 AND lower(topic) = lower($4))
    ORDER BY user_id, channel_id, lower(topic) FOR NO KEY UPDATE`,
  row,
});

const forget = statement({
  name: "topic-policies-forget",
  text: `DELETE FROM user_topics t USING unnest($1::int[], $2::int[], $3::text[]) AS gone (user_id, channel_id, topic)
    WHERE t.user_id = gone.user_id AND t.channel_id = gone.channel_id AND t.topic = gone.topic
    RETURNING extract(epoch FROM now())::int AS "lastUpdated"`,
  row: { lastUpdated: column.int },
});

const store = statement({
  name: "topic-policies-store-moved",
  text: `INSERT INTO user_topics (user_id, channel_id, topic, visibility_policy)
    SELECT w.user_id, $3, $4, w.policy FROM unnest($1::int[], $2::smallint[]) AS w (user_id, policy) ORDER BY w.user_id
    ON CONFLICT (user_id, channel_id, lower(topic))
      DO UPDATE SET visibility_policy = excluded.visibility_policy, last_updated = now()
    RETURNING user_id AS "userId", channel_id AS "channelId", topic, visibility_policy AS policy,
      extract(epoch FROM last_updated)::int AS "lastUpdated"`,
  row: {
    userId: column.int,
    channelId: column.int,
    topic: column.text,
    policy: column.int,
    lastUpdated: column.int,
  },
});

/** What of two policies holds once their topics are one. */
const weakestFirst: readonly number[] = [muted, inherit, unmuted, followed];

/**
 * Carries what people want of a topic along, when the whole of it has moved (messages.md §6.2). Who may not read the
 * channel that it has come to wants nothing of it there.
 * @param merges whether the topic that they have come to had messages before
 * @param mayRead who may read the channel that it has come to
 */
export async function movePolicies(
  tx: Tx,
  { from, to }: Move,
  merges: boolean,
  mayRead: (userId: number) => boolean,
): Promise<NewEvent[]> {
  const rows = await tx.lock({ name: "topicPolicies" }, hold, [
    from.channel.id,
    from.topic,
    to.channel.id,
    to.topic,
  ]);
  const old = new Map(rows.flatMap((one) => (one.isOld ? [[one.userId, one] as const] : [])));
  const present = new Map(rows.flatMap((one) => (one.isOld ? [] : [[one.userId, one] as const])));
  const wanted = [...new Set(rows.map(({ userId }) => userId))].filter(mayRead).map((userId) => {
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
    ...(await remove(tx, [...old.values(), ...dropped])),
    ...(set.length === 0
      ? []
      : await tx.rows(store, [
          set.map(({ userId }) => userId),
          set.map(({ policy }) => policy),
          to.channel.id,
          to.topic,
        ])),
  ]);
}

function stronger(one: number, other: number): number {
  return weakestFirst.indexOf(one) > weakestFirst.indexOf(other) ? one : other;
}

async function remove(tx: Tx, rows: ReadonlyArray<RowOf<typeof row>>) {
  if (rows.length === 0) return [];
  const [gone] = await tx.rows(forget, [
    rows.map(({ userId }) => userId),
    rows.map(({ channelId }) => channelId),
    rows.map(({ topic }) => topic),
  ]);
  const lastUpdated = gone?.lastUpdated ?? 0;
  return rows.map(({ userId, channelId, topic }) => ({
    userId,
    channelId,
    topic,
    policy: inherit,
    lastUpdated,
  }));
}
