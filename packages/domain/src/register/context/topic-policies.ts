import { SqlValues, channelReadable } from "@carillon/model";
import type { SnapshotContext } from "./section.ts";
import { emptyTopicFor } from "./empty-topic.ts";

/** What the account wants of a topic. */
export interface TopicPolicy {
  readonly channelId: number;
  readonly channelName: string;
  /** As the client shows it. */
  readonly topic: string;
  /** 1 muted, 2 unmuted, 3 followed */
  readonly policy: number;
  /** UNIX seconds */
  readonly lastUpdated: number;
}

/**
 * The account's topic policies, in the order of their making. Those in channels that it cannot read any more are left
 * out: they follow their topics through renames, and would tell the new names.
 */
export async function loadTopicPolicies(context: SnapshotContext): Promise<TopicPolicy[]> {
  const { tx, realm, actor, capabilities } = context;
  const values = new SqlValues();
  return tx.rows<TopicPolicy>(
    `SELECT c.id AS "channelId", c.name AS "channelName",
       CASE WHEN t.topic = '' THEN ${values.add(emptyTopicFor(context), "text")} ELSE t.topic END AS topic,
       t.visibility_policy AS policy, extract(epoch FROM t.last_updated)::int AS "lastUpdated"
     FROM user_topics t JOIN channels c ON c.id = t.channel_id
     WHERE t.user_id = ${values.add(actor.id, "int")} AND c.realm_id = ${values.add(realm.id, "int")}
       AND (${values.add(capabilities.has("archived_channels"), "bool")} OR NOT c.is_archived)
       AND ${channelReadable(actor)(values)}
     ORDER BY t.id`,
    values.list,
  );
}
