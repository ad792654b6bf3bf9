import { channel, organization, rowsRead, useDatabase, type TestChannel } from "@carillon/testkit";
import { expect } from "chai";

import { mark } from "./mark-read-step.ts";

describe("A step of marking as read", () => {
  const db = useDatabase();
  const many = 50_000;
  const each = 2_000;

  /** Makes an account with unread messages in two channels, one channel's after the other's. */
  async function unread() {
    const org = await organization(db);
    const { member, owner, realm } = org;
    const rooms = [await channel(db, realm), await channel(db, realm)] as const;
    await db.rows("INSERT INTO clients (name) VALUES ('test') ON CONFLICT DO NOTHING");
    for (const { recipientId } of rooms)
      await db.rows(
        `WITH added AS (
           INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
             render_version, client_id)
           SELECT $1, $2, $3, true, 'lunch', '', '', 1, (SELECT min(id) FROM clients) FROM generate_series(1, $5::int)
           RETURNING id
         ) INSERT INTO user_messages SELECT $4, id, 0 FROM added`,
        [realm.id, owner.id, recipientId, member.id, many],
      );
    await db.rows("ANALYZE messages, user_messages");
    const rows = await db.rows<{ id: number }>(
      "SELECT message_id AS id FROM user_messages WHERE user_id = $1 ORDER BY 1",
      [member.id],
    );
    return { member, rooms, ids: rows.map(({ id }) => id) };
  }

  /** Returns the rows that the step reads of both tables; rolls its writes back. */
  async function readBy(userId: number, after: number, room: TestChannel | null) {
    const values = [
      [userId],
      [after],
      Number.MAX_SAFE_INTEGER,
      each,
      room?.id ?? null,
      null,
      null,
      null,
    ];
    let read = 0;
    for (const table of ["user_messages", "messages"])
      await db
        .transaction(async (tx) => {
          read += (await rowsRead(tx, mark, values, table)).read;
          throw new Error("taken back");
        })
        .catch(() => {});
    return read;
  }

  it("reads each examined message a few times, however many messages are unread", async function () {
    this.timeout(120_000);
    const { member, rooms, ids } = await unread();
    const middle = ids[many / 2] ?? 0;
    for (const after of [0, middle, ids.at(-each - 1) ?? 0])
      for (const room of [null, ...rooms]) {
        const read = await readBy(member.id, after, room);
        expect(read, `after ${after} of ${room?.id ?? "all"}`).to.be.within(each, 6 * each);
      }
    // Messages that are already read are skipped by the index, and after the last message there is nothing to examine.
    await db.rows(
      "UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1 AND message_id <= $2",
      [member.id, middle],
    );
    await db.rows("VACUUM user_messages");
    expect(await readBy(member.id, 0, null)).to.be.within(each, 6 * each);
    expect(await readBy(member.id, ids.at(-1) ?? 0, null)).to.equal(0);
  });
});
