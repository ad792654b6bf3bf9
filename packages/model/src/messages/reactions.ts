import { statement, type Sql } from "@carillon/db";
import { rowsByMessage } from "./rows-by-message.ts";

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
});

/**
 * Loads the reactions by message, oldest first; messages without reactions are missing.
 * @param sql a snapshot, if there are many messages
 */
export function loadReactions(
  sql: Sql,
  messageIds: readonly number[],
): Promise<Map<number, Reaction[]>> {
  return rowsByMessage(sql, ofMessages, messageIds, atOnce);
}
