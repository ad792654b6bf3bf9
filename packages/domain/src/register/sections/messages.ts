import { notNull, statement } from "@carillon/db";

import type { Section } from "../../snapshot-section.ts";

const newestOwn = statement({
  name: "newest-own-message",
  text: "SELECT coalesce(max(message_id), -1) AS id FROM user_messages WHERE user_id = $1",
});

/** The id of the account's newest message; −1 if it has none. */
export const newestMessage: Section = {
  names: ["message"],
  async load({ tx, actor }) {
    const newest = await tx.first(newestOwn, [actor.id]);
    return { max_message_id: newest?.id ?? -1 };
  },
};

/** Direct messages to examine: conversations with only older messages are left out. */
const considered = 5_000;

const recent = statement({
  name: "recent-conversations",
  text: `WITH newest AS MATERIALIZED (
      SELECT message_id AS id FROM user_messages WHERE user_id = $1 AND flags & 256 <> 0
      ORDER BY message_id DESC LIMIT ${considered}
    ), conversation AS (
      SELECT m.recipient_id, max(newest.id) AS "maxMessageId" FROM newest CROSS JOIN LATERAL (
        SELECT recipient_id FROM messages WHERE messages.id = newest.id OFFSET 0
      ) m GROUP BY m.recipient_id
    )
    SELECT array_remove(r.member_ids, $1) AS "userIds", c."maxMessageId"
    FROM conversation c JOIN recipients r ON r.id = c.recipient_id
    WHERE r.realm_id = $2 ORDER BY c."maxMessageId" DESC`,
  overrides: { userIds: notNull, maxMessageId: notNull },
});

/** The account's direct conversations, newest message first; `user_ids` are the other members. */
export const recentConversations: Section = {
  names: ["recent_private_conversations"],
  async load({ tx, realm, actor }) {
    const rows = await tx.rows(recent, [actor.id, realm.id]);
    return {
      recent_private_conversations: rows.map(({ userIds, maxMessageId }) => ({
        user_ids: userIds,
        max_message_id: maxMessageId,
      })),
    };
  },
};
