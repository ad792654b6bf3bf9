import { statement, type Sql } from "@carillon/db";
import { rowsByMessage } from "./rows-by-message.ts";

/** Data that an integration has attached to a message. */
export interface Submessage {
  readonly id: number;
  readonly messageId: number;
  readonly senderId: number;
  readonly type: string;
  /** JSON. */
  readonly content: string;
}

/** Rows per statement: each row has up to 10,000 characters. */
const atOnce = 500;

const ofMessages = statement({
  name: "submessages-of-messages",
  text: `SELECT id, message_id AS "messageId", sender_id AS "senderId", msg_type AS type, content
    FROM submessages WHERE message_id = ANY(ARRAY(SELECT unnest($1::bigint[]))) AND (message_id, id) > ($2, $3)
    ORDER BY message_id, id LIMIT ${atOnce}`,
});

/**
 * Loads the submessages by message, oldest first; messages without any are missing.
 * @param sql a snapshot, if there are many messages
 */
export function loadSubmessages(
  sql: Sql,
  messageIds: readonly number[],
): Promise<Map<number, Submessage[]>> {
  return rowsByMessage(sql, ofMessages, messageIds, atOnce);
}
