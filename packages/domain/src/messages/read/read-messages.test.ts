import type { Sql, Statement } from "@carillon/db";
import { directRecipient, organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { presentMessages, readMessages } from "./read-messages.ts";

describe("reading messages", () => {
  const db = useDatabase();

  it("reads everything from one snapshot, whatever is edited or deleted meanwhile", async () => {
    const { realm, member } = await organization(db);
    const recipientId = await directRecipient(db, realm.id, [member]);
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    const added = await db.rows<{ id: number }>(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT $1, $2, $3, false, E'\\x07', 'old ' || i, '', 1, (SELECT id FROM clients LIMIT 1)
       FROM generate_series(1, 3) AS i RETURNING id`,
      [realm.id, member.id, recipientId],
    );
    const [first = 0, second = 0, third = 0] = added.map(({ id }) => id);
    await db.rows("INSERT INTO user_messages SELECT $1, unnest($2::bigint[]), 257", [
      member.id,
      [first, second, third],
    ]);

    const request = { anchor: "newest", numBefore: 10, numAfter: 0, narrow: [] };
    const form = {
      applyMarkdown: false,
      siteUrl: "http://carillon.test",
      clientGravatar: true,
      allowEmptyTopicName: true,
    };
    const retrieval = await db.transaction(
      (tx) => {
        const meddling: Sql = {
          rows: async <Row>(statement: Statement<Row>, values?: readonly unknown[]) => {
            const rows = await tx.rows(statement, values);
            await db.rows("DELETE FROM messages WHERE id = $1", [first]);
            await db.rows("DELETE FROM user_messages WHERE message_id = $1", [second]);
            await db.rows("UPDATE messages SET content = 'new' WHERE id = $1", [third]);
            return rows;
          },
        };
        return readMessages(meddling, member, request);
      },
      { mode: "repeatable read read only" },
    );
    const answer = await presentMessages(retrieval, member, form);
    expect(answer.messages.map(({ id, content }) => [id, content])).to.deep.equal([
      [first, "old 1"],
      [second, "old 2"],
      [third, "old 3"],
    ]);
    const again = await db.transaction((tx) => readMessages(tx, member, request));
    const later = await presentMessages(again, member, form);
    expect(later.messages.map(({ id, content }) => [id, content])).to.deep.equal([[third, "new"]]);
  });
});
