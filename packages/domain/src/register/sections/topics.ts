import { roles } from "@carillon/contract";
import { composed, notNull, type RowOf } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import { type Account, channelReadable, SqlValues, visibilityPolicy } from "@carillon/model";

import { emptyTopicFor, type Section, type SnapshotContext } from "../../snapshot-section.ts";

/**
 * Maximum number of policies in a snapshot, which contains the latest. A message to a new topic may add one, and the snapshot
 * is in memory while it is made (http-contract.md §8.1).
 *
 * The statement sorts all policies of the account. With 300,000 of them it took 0.69 s, and 0.27 s with an index on
 * (user_id, last_updated DESC, id DESC). There is no such index, because it would take 70 bytes for each policy, and a tenth
 * more time for each write.
 */
export const maxTopicPolicies = 50_000;

const policies = composed({
  name: "snapshot-topic-policies",
  overrides: {
    /** As sent to the client. */
    topic: notNull,
    lastUpdated: notNull,
  },
  compose: (actor: Actor, emptyTopic: string, withArchived: boolean) => {
    const values = new SqlValues();
    const newest = `SELECT t.id, c.id AS "channelId", c.name AS "channelName",
        CASE WHEN t.topic = '' THEN ${values.add(emptyTopic, "text")} ELSE t.topic END AS topic,
        t.visibility_policy AS policy, extract(epoch FROM t.last_updated)::int AS "lastUpdated"
      FROM user_topics t JOIN channels c ON c.id = t.channel_id
      WHERE t.user_id = ${values.add(actor.id, "int")} AND c.realm_id = ${values.add(actor.realmId, "int")}
        AND (${values.add(withArchived, "bool")} OR NOT c.is_archived)
        AND ${channelReadable(actor)(values)}
      ORDER BY t.last_updated DESC, t.id DESC LIMIT ${values.add(maxTopicPolicies, "int")}`;
    const text = `SELECT "channelId", "channelName", topic, policy, "lastUpdated" FROM (${newest}) newest ORDER BY id`;
    return { text, values: values.list };
  },
  examples: (compose) =>
    [roles.member, roles.guest].map((role) => compose({ id: 1, realmId: 1, role }, "", true)),
});

/** The account's visibility policies of topics, in the format of `user_topic` events. */
export const userTopics: Section = {
  names: ["user_topic"],
  async load(context) {
    const policies = await loadTopicPolicies(context);
    return {
      user_topics: await inSlices(policies, (each) => ({
        stream_id: each.channelId,
        topic_name: each.topic,
        visibility_policy: each.policy,
        last_updated: each.lastUpdated,
      })),
    };
  },
};

/** The muted topics in the format of older clients; empty if the client names `user_topic`. */
export const mutedTopics: Section = {
  names: ["muted_topics"],
  async load(context) {
    if (context.named?.has("user_topic")) return {};
    const policies = await loadTopicPolicies(context);
    return {
      muted_topics: policies
        .filter(({ policy }) => policy === visibilityPolicy.muted)
        .map(({ channelName, topic, lastUpdated }) => [channelName, topic, lastUpdated]),
    };
  },
};

/**
 * The account's visibility policy of a topic.
 * - `topic`: as sent to the client.
 * - `policy`: 1 muted, 2 unmuted, 3 followed
 * - `lastUpdated`: UNIX seconds
 */
type TopicPolicy = RowOf<typeof policies>;

type Actor = Pick<Account, "id" | "realmId" | "role">;

/**
 * Loads the account's latest {@link maxTopicPolicies} visibility policies, in the order of creation. Leaves out channels that
 * it can no longer read: policies follow their topics through renames and would reveal the new names.
 */
async function loadTopicPolicies(context: SnapshotContext): Promise<TopicPolicy[]> {
  const { tx, actor, capabilities } = context;
  return policies(tx, actor, emptyTopicFor(context), capabilities.has("archived_channels"));
}
