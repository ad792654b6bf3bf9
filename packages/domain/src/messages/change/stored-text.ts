import { column, statement, type RowOf, type Tx } from "@carillon/db";

const row = {
  content: column.text,
  renderedContent: column.text,
  /** Whether it has submessages. */
  isWidget: column.bool.neverNullHere(),
};

/** What a message says. */
export type StoredText = RowOf<typeof row>;

const byId = statement({
  name: "stored-text",
  text: `SELECT content, rendered_content AS "renderedContent",
      EXISTS (SELECT FROM submessages s WHERE s.message_id = m.id) AS "isWidget"
    FROM messages m WHERE realm_id = $1 AND id = $2`,
  row,
});

/** What the message says by now; undefined where it is gone. */
export function loadText(tx: Tx, realmId: number, id: number): Promise<StoredText | undefined> {
  return tx.first(byId, [realmId, id]);
}
