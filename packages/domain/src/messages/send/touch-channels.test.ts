import { channel, send, toChannel, useGateway, useBlocker, useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("A channel's first message", () => {
  const scene = useScene();
  const { db } = scene;
  const blocker = useBlocker(db);
  // Of two that come to one gateway, one would wait for the other.
  const other = useGateway(db);

  it("is the one with the lower id, where another one is sent before it is committed", async () => {
    const { owner, member } = scene.org;
    const room = await channel(db, owner, { subscribers: [owner, member] });
    const said = toChannel(room.id, { topic: "lunch" });

    // A row with the id that comes next keeps the sender who gets that id waiting, until it is rolled back.
    await blocker.lock(
      `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       VALUES (nextval('messages_id_seq') + 1, $1, $2, $3, true, 'lunch', '', '', 1, 1)`,
      [room.realmId, owner.id, room.recipientId],
    );
    const sending = send(scene.as(owner), said);
    await blocker.untilWaiting(1, "the first message waits");
    const following = send(other.as(member), said);
    await blocker.untilWaiting(2, "the second waits for the channel's row, without an id");

    await blocker.release();
    const [first, second] = await Promise.all([sending, following]);
    expect(first).to.be.lessThan(second);
    const { firstMessageId } = await db.prisma.channel.findUniqueOrThrow({
      where: { id: room.id },
    });
    expect(Number(firstMessageId)).to.equal(first);
  });
});
