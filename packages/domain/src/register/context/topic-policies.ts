import { SqlValues, channelReadable, type Account } from "@carillon/model";
import type { SnapshotContext } from "./section.ts";
import { emptyTopicFor } from "./empty-topic.ts";
import { column, composed, type RowOf } from "@carillon/db";
import { roles } from "@carillon/contract";

const policyRow = {
  channelId: column.int,
  channelName: column.text,
  /** As the client shows it. */
  topic: column.text,
  /** 1 muted, 2 unmuted, 3 followed */
  policy: column.int,
  /** UNIX seconds */
  lastUpdated: column.int,
};

/** What the account wants of a topic. */
export type TopicPolicy = RowOf<typeof policyRow>;

type Actor = Pick<Account, "id" | "realmId" | "role">;

const policies = composed({
  name: "snapshot-topic-policies",
  row: policyRow,
  compose: (actor: Actor, emptyTopic: string, withArchived: boolean) => {
    const values = new SqlValues();
    const text = `SELECT c.id AS "channelId", c.name AS "channelName",
        CASE WHEN t.topic = '' THEN ${values.add(emptyTopic, "text")} ELSE t.topic END AS topic,
        t.visibility_policy AS policy, extract(epoch FROM t.last_updated)::int AS "lastUpdated"
      FROM user_topics t JOIN channels c ON c.id = t.channel_id
      WHERE t.user_id = ${values.add(actor.id, "int")} AND c.realm_id = ${values.add(actor.realmId, "int")}
        AND (${values.add(withArchived, "bool")} OR NOT c.is_archived)
        AND ${channelReadable(actor)(values)}
      ORDER BY t.id`;
    return { text, values: values.list };
  },
  examples: (compose) =>
    [roles.member, roles.guest].map((role) => compose({ id: 1, realmId: 1, role }, "", true)),
});

/**
 * The account's topic policies, in the order of their making. Those in channels that it cannot read any more are left
 * out: they follow their topics through renames, and would tell the new names.
 */
export async function loadTopicPolicies(context: SnapshotContext): Promise<TopicPolicy[]> {
  const { tx, actor, capabilities } = context;
  return policies(tx, actor, emptyTopicFor(context), capabilities.has("archived_channels"));
}
