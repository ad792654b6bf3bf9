import {
  channel,
  deliver,
  deliverNow,
  failsWithNotice,
  inChannel,
  messagesOf,
  noticesTo,
  scheduledMessage,
  storedRow,
  type TestAccount,
  type TestChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("a late scheduled message", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
  });

  const sent = async () =>
    (await messagesOf(scene.as(sender), inChannel(room.id))).map(({ content }) => content);

  it("is sent up to ten minutes after its time", async () => {
    const row = await scheduledMessage(scene.db, sender, room);
    // As near to them as leaves a slow machine time for the delivery.
    await deliverNow(scene.db, scene.org.realm, [row.id], 560);
    expect(await sent()).to.deep.equal([row.content]);
  });

  for (const lateBy of [602, 3_600, 400 * 86_400]) {
    it(`is not sent ${lateBy} seconds after its time, and its sender is notified`, async () => {
      const row = await scheduledMessage(scene.db, sender, room);
      await failsWithNotice(scene, sender, row.id, lateBy);
      expect(await sent()).to.deep.equal([]);
    });
  }

  it("fails without affecting messages that are in time", async () => {
    const { db, org } = scene;
    const earlier = (await noticesTo(scene.as(sender), org.notificationBot)).length;
    const dues = [-700, -560, -601, -5];
    const rows = [];
    for (const dueIn of dues)
      rows.push(await scheduledMessage(db, sender, room, { dueIn: dueIn + 5 }));
    await db.rows(
      "UPDATE scheduled_messages SET deliver_at = deliver_at - interval '5 s' WHERE id = ANY($1)",
      [[rows[0]?.id, rows[2]?.id]],
    );
    await deliver(db, org.realm);
    expect(await sent()).to.deep.equal([rows[1]?.content, rows[3]?.content]);
    for (const row of [rows[0], rows[2]]) {
      expect(await storedRow(db, row?.id ?? 0)).to.include({ failed: true });
    }
    const notices = await noticesTo(scene.as(sender), org.notificationBot);
    expect(notices).to.have.length(earlier + 2);
  });
});
