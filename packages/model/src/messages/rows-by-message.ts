import type { Sql, Statement } from "@carillon/db";

/** A row that belongs to a message. */
interface OfMessage {
  readonly id: number;
  readonly messageId: number;
}

/**
 * Loads rows of messages, oldest first, in pages of `atOnce` rows, because the driver parses the rows of a statement at
 * once. Messages without rows are missing.
 * @param page takes the ids of the messages, and the message and the id of the last row of the page before
 */
export async function rowsByMessage<Row extends OfMessage>(
  sql: Sql,
  page: Statement<Row>,
  messageIds: readonly number[],
  atOnce: number,
): Promise<Map<number, Row[]>> {
  const found = new Map<number, Row[]>();
  for (let last: OfMessage = { messageId: 0, id: 0 }; ;) {
    const rows = await sql.rows(page, [messageIds, last.messageId, last.id]);
    for (const row of rows) {
      const others = found.get(row.messageId);
      if (others) others.push(row);
      else found.set(row.messageId, [row]);
    }
    const end = rows.at(-1);
    if (!end || rows.length < atOnce) return found;
    last = end;
  }
}
