import {
  anonymousGroup,
  changeChannel,
  channel,
  channelMessage,
  pastMessages,
  refused,
  schedule,
  scheduledMessage,
  scheduledMessagesPath,
  scheduleRefused,
  send,
  sendRefused,
  type TestAccount,
  type TestChannel,
  toChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { change, changeRefused, read } from "../../test-support/changing-messages.ts";

const hiding = "lu\u200bnch";

describe("Topics with invisible characters", () => {
  const scene = useScene();
  let own: TestAccount;
  let room: TestChannel;
  beforeEach(async () => {
    own = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [own] });
  });

  const say = (topic: string) => send(scene.as(own), toChannel(room.id, { topic }));
  const topics = async () => (await read(scene, own, room)).map(({ subject }) => subject);
  const edit = (id: number, params: object) =>
    scene.as(own).patch(`${scheduledMessagesPath}/${id}`, { ...params });

  for (const [topic, character] of [
    [hiding, "U+200B"],
    ["\u202elunch", "U+202E"],
    ["\u3164", "U+3164"],
    ["lun\ufeffch", "U+FEFF"],
  ] as const)
    it(`refuses a message that would start one, and names ${character}`, async () => {
      const { msg } = await sendRefused(scene, own, toChannel(room.id, { topic: `x${topic}` }));
      expect(msg).to.contain(character);
    });

  it("accepts replies to an existing one in any case", async () => {
    await pastMessages(scene.db, room, own, { topic: hiding });
    await say(hiding);
    await say(hiding.toUpperCase());
    await sendRefused(scene, own, toChannel(room.id, { topic: `${hiding}2` }));
    expect((await topics()).length).to.equal(3);
  });

  it("accepts replies to an existing one if only some accounts may start topics", async () => {
    await changeChannel(scene.db, room.id, {
      canCreateTopicGroupId: await anonymousGroup(scene.db, scene.org.realm.id, [
        scene.org.owner.id,
      ]),
    });
    await pastMessages(scene.db, room, own, { topic: hiding });
    await say(hiding);
    await sendRefused(scene, own, toChannel(room.id, { topic: `${hiding}2` }));
  });

  it("keeps joiners that a script or an emoji needs, also at the end of a truncated topic", async () => {
    const cut = `${"x".repeat(55)}👩\u200d🚀 and more`;
    for (const topic of ["می\u200cخواهم", "👩\u200d🚀", "❤\ufe0f", cut, `${"x".repeat(60)}\u200b`])
      await say(topic);
    expect(await topics()).to.include(`${"x".repeat(55)}👩\u200d...`);
  });

  it("refuses moves to a new one, and lets an existing one be moved, resolved and merged", async () => {
    const [old = 0] = await pastMessages(scene.db, room, own, { topic: hiding });
    const id = await say("dinner");
    const { owner } = scene.org;
    const quiet = { send_notification_to_new_thread: false };
    const { msg } = await changeRefused(scene, owner, id, { topic: "din\u2060ner", ...quiet });
    expect(msg).to.contain("U+2060");
    await change(scene, owner, id, { topic: hiding, ...quiet });
    await change(scene, owner, old, {
      topic: `✔ ${hiding}`,
      propagate_mode: "change_all",
      ...quiet,
    });
    const other = await channel(scene.db, scene.org.realm, { subscribers: [own, owner] });
    await change(scene, owner, id, { stream_id: other.id, ...quiet });
    expect(await topics()).to.include(`✔ ${hiding}`);
    expect((await read(scene, own, other)).map(({ subject }) => subject)).to.include(`✔ ${hiding}`);
  });

  it("refuses scheduled messages that would start one, when created or edited", async () => {
    await scheduleRefused(scene, own, channelMessage(room.id, { topic: hiding }));
    const id = await schedule(scene.as(own), channelMessage(room.id));
    for (const params of [{ topic: hiding }, { topic: hiding, content: "new" }]) {
      const { msg } = await refused(scene.db, () => edit(id, params), "BAD_REQUEST");
      expect(msg).to.contain("U+200B");
    }
    await pastMessages(scene.db, room, own, { topic: hiding });
    expect((await edit(id, { topic: hiding })).status).to.equal(200);
    await schedule(scene.as(own), channelMessage(room.id, { topic: hiding }));
  });

  it("allows edits of other fields of a message that an earlier version scheduled for one", async () => {
    const { id } = await scheduledMessage(scene.db, own, room, { topic: hiding });
    for (const params of [
      { content: "new" },
      { topic: hiding },
      { topic: hiding, content: "newer" },
    ])
      expect((await edit(id, params)).status).to.equal(200);
  });
});
