import { channel, type TestAccount, type TestChannel, useScene } from "@carillon/testkit";
import { expect } from "chai";

import { change, flagsOf, read } from "../../test-support/changing-messages.ts";
import { post } from "../../test-support/reading-messages.ts";

describe("PATCH /messages/{message_id}: notices of moves", () => {
  const scene = useScene();
  let owner: TestAccount;
  let mover: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    ({ owner, member: mover } = scene.org);
    room = await channel(scene.db, scene.org.realm, { subscribers: [owner, mover] });
  });

  const say = (topic = "lunch", where = room) => post(scene.gateway, owner, where, topic);
  const notices = async (where = room) =>
    (await read(scene, owner, where))
      .filter(({ sender_id }) => sender_id === scene.org.notificationBot.id)
      .map(({ subject, content }) => [subject, content]);
  const who = () => `@_**${mover.fullName}|${mover.id}**`;
  const both = { send_notification_to_old_thread: true, send_notification_to_new_thread: true };

  it("are posted in the new place, and in the old one on request", async () => {
    const [one, two, three] = [await say(), await say(), await say()];
    await change(scene, mover, one, { topic: "a" });
    expect(await notices()).to.deep.equal([
      ["a", `A message was moved here from #**${room.name}>lunch** by ${who()}.`],
    ]);
    await change(scene, mover, two, { topic: "b", propagate_mode: "change_all", ...both });
    expect((await notices()).slice(1)).to.have.deep.members([
      ["lunch", `This topic was moved to #**${room.name}>b** by ${who()}.`],
      ["b", `This topic was moved here from #**${room.name}>lunch** by ${who()}.`],
    ]);
    await say("b");
    const count = (await notices()).length;
    await change(scene, mover, three, { topic: "", propagate_mode: "change_later", ...both });
    expect((await notices()).slice(count)).to.have.deep.members([
      ["b", `3 messages were moved from this topic to #**${room.name}>** by ${who()}.`],
      ["general chat", `3 messages were moved here from #**${room.name}>b** by ${who()}.`],
    ]);
    const quiet = { send_notification_to_new_thread: false };
    const before = (await notices()).length;
    await change(scene, mover, one, { topic: "c", ...quiet });
    expect(await notices()).to.have.lengthOf(before);
  });

  it("name no channel that readers of the notice cannot read", async () => {
    const { db, org } = scene;
    const closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [owner, mover] });
    const there = await say();
    await change(scene, mover, there, { stream_id: closed.id, ...both });
    expect(await notices()).to.deep.equal([
      ["lunch", `This topic was moved to another channel by ${who()}.`],
    ]);
    expect(await notices(closed)).to.deep.equal([
      ["lunch", `This topic was moved here from #**${room.name}>lunch** by ${who()}.`],
    ]);
  });

  it("show names as text, never as markup", async () => {
    const { db, org } = scene;
    const hostile = await channel(db, org.realm, {
      name: "**x** <b> @**all**",
      subscribers: [owner, mover],
    });
    const id = await post(scene.gateway, owner, hostile, "`y` [z](https://example.com/)");
    await change(scene, mover, id, { topic: "calm" });
    const [row] = await db.rows<{ html: string }>(
      "SELECT rendered_content AS html FROM messages WHERE recipient_id = $1 ORDER BY id DESC LIMIT 1",
      [hostile.recipientId],
    );
    expect(row?.html).to.match(
      /^<p>This topic was moved here from <a class="stream-topic" [^>]*>#\*\*x\*\* &lt;b&gt; @\*\*all\*\* &gt; `y` \[z\]\(https:\/\/example.com\/\)<\/a> by <span/,
    );
  });

  it("are unread for all but the mover", async () => {
    const id = await say();
    await change(scene, mover, id, { topic: "a" });
    const notice = (await read(scene, owner, room)).at(-1)?.id ?? 0;
    expect([
      await flagsOf(scene, owner, notice),
      await flagsOf(scene, mover, notice),
    ]).to.deep.equal([0, 1]);
  });
});
