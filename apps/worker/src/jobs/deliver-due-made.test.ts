import { deliverAll } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import {
  channel,
  eventsSince,
  holdUp,
  lastEventSeq,
  scheduledMessage,
  send,
  storedRow,
  testSite,
  toChannel,
  useScene,
  waitFor,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

describe("a delivery batch whose rows are made while another is written", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.admin] });
    // The first message of a channel changes its row, and is not made ahead of another batch.
    await send(scene.as(sender), toChannel(room.id, { content: "The first", topic: "t" }));
  });

  const make = (content: string, dueIn: number) =>
    scheduledMessage(scene.db, sender, room, { content, topic: "t", dueIn });

  /** Delivers in batches of two; the first is held up at its rows until so many ids have been given out. */
  const deliverHeldUp = async (count: number) => {
    const { db, org } = scene;
    const held = await holdUp(db, "INSERT ON messages");
    const ids = async () => {
      const [row] = await db.rows<{ id: number }>(
        "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM messages_id_seq",
      );
      return row?.id ?? 0;
    };
    const before = await ids();
    const options = { db, site: testSite(), log: silentLogger, batch: 2 };
    const delivering = deliverAll(options, org.realm.id, { maxBatches: 20 });
    try {
      await waitFor(async () => (await held.waiting()) === 1, { what: "the first is written" });
      await waitFor(async () => (await ids()) >= before + count, {
        what: "the second has its ids",
      });
    } finally {
      await held.release();
    }
    await delivering;
  };

  const idsOf = async (rows: readonly { readonly id: number }[]) =>
    Promise.all(rows.map(async ({ id }) => (await storedRow(scene.db, id))?.deliveredMessageId));

  it("has higher ids and later events than the previous batch", async () => {
    const { db, org } = scene;
    const rows = [];
    for (const [i, content] of ["a", "b", "c", "d"].entries())
      rows.push(await make(content, i - 9));
    const seq = await lastEventSeq(db, org.realm.id);
    await deliverHeldUp(4);
    const ids = await idsOf(rows);
    expect(ids).to.deep.equal([...ids].sort((a, b) => Number(a) - Number(b)));
    const received = (await eventsSince(db, org.realm.id, seq)).filter(
      ({ type }) => type === "message",
    );
    expect(received.map(({ payload }) => (payload["message"] as { id: number }).id)).to.deep.equal(
      ids,
    );
  });

  it("marks the row of a message that was sent before, and does not send it again", async () => {
    const { db } = scene;
    const rows = [];
    for (const [i, content] of ["a", "b", "c", "d"].entries())
      rows.push(await make(content, i - 9));
    const [known] = await db.rows<{ id: number }>(
      `INSERT INTO messages (realm_id, scheduled_message_id, sender_id, recipient_id, is_channel, topic,
         content, rendered_content, render_version, client_id)
       SELECT realm_id, id, sender_id, recipient_id, true, topic, content, rendered_content, 1, client_id
       FROM scheduled_messages WHERE id = $1 RETURNING id`,
      [rows[2]?.id],
    );
    await deliverHeldUp(3);
    const ids = await idsOf(rows);
    expect(ids[2]).to.equal(known?.id);
    const [copies] = await db.rows<{ count: number }>(
      "SELECT count(*)::int AS count FROM user_messages WHERE message_id = ANY($1::bigint[])",
      [ids],
    );
    expect(copies?.count).to.equal(3 * 2);
  });
});
