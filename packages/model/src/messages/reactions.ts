import { column, statement, type Sql } from "@carillon/db";

/** A reaction to a message. */
export interface Reaction {
  readonly userId: number;
  readonly type: string;
  readonly code: string;
  readonly name: string;
}

/** Rows of one statement, which the driver parses at once: every account may have reacted to each message. */
const atOnce = 5_000;

/** Uses the order of the index up to the message id, so that at most one message's reactions are sorted. */
const ofMessages = statement({
  name: "reactions-of-messages",
  text: `SELECT id, message_id AS "messageId", user_id AS "userId", reaction_type AS type, emoji_code AS code,
      emoji_name AS name
    FROM reactions WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))) AND (message_id, id) > ($2, $3)
    ORDER BY message_id, id LIMIT ${atOnce}`,
  row: {
    id: column.bigint,
    messageId: column.bigint,
    userId: column.int,
    type: column.text,
    code: column.text,
    name: column.text,
  },
});

/**
 * Loads the reactions by message, oldest first; messages without reactions are missing.
 * @param sql a snapshot, if there are many messages
 */
export async function loadReactions(
  sql: Sql,
  messageIds: readonly number[],
): Promise<Map<number, Reaction[]>> {
  const found = new Map<number, Reaction[]>();
  for (let last = { messageId: 0, id: 0 }; ;) {
    const rows = await sql.rows(ofMessages, [messageIds, last.messageId, last.id]);
    for (const { id: _id, messageId, ...reaction } of rows) {
      const others = found.get(messageId);
      if (others) others.push(reaction);
      else found.set(messageId, [reaction]);
    }
    const end = rows.at(-1);
    if (!end || rows.length < atOnce) return found;
    last = end;
  }
}
