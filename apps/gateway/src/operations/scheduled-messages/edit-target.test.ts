import {
  changeChannel,
  changeOrganization,
  channel,
  channelMessage,
  deactivateUser,
  directMessage,
  inSeconds,
  type Params,
  recordOf,
  refused,
  schedule,
  scheduledMessagesPath,
  succeededWithoutFields,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const policy = { empty_topic_display_name: "general chat" };

describe("The destination of an edited scheduled message", () => {
  const scene = useScene();
  let sender: TestAccount;
  let client: ReturnType<typeof scene.as>;
  let room: TestChannel;
  let direct: number;
  let inRoom: number;

  before(() => {
    sender = scene.org.member;
    client = scene.as(sender);
  });
  beforeEach(async () => {
    room = await channel(scene.db, scene.org.realm, { inviteOnly: true, subscribers: [sender] });
    inRoom = await schedule(client, channelMessage(room.id));
    direct = await schedule(client, directMessage([scene.org.guest.id]));
  });

  const edit = (id: number, params: Params) =>
    client.patch(`${scheduledMessagesPath}/${id}`, params);
  const edited = async (id: number, params: Params) => {
    succeededWithoutFields(await edit(id, params));
    return recordOf(client, id);
  };
  const editRefused = (
    id: number,
    params: Params,
    code?: string,
    extra?: Readonly<Record<string, unknown>>,
  ) => refused(scene.db, () => edit(id, params), code, extra);

  it("may be a direct conversation: the record loses its topic", async () => {
    const { admin } = scene.org;
    const record = await edited(inRoom, { type: "private", to: [admin.id, sender.id], topic: "x" });
    expect(record).to.include({ type: "private", content: "hello" });
    expect(record.to).to.deep.equal([admin.id]);
    expect(record).not.to.have.property("topic");
    expect((await edited(inRoom, { type: "direct", to: [sender.id] })).to).to.deep.equal([
      sender.id,
    ]);
    const back = await edited(inRoom, { type: "stream", to: room.id, topic: "" });
    expect(back).to.include({ type: "stream", to: room.id, topic: "" });
  });

  it("may be a channel", async () => {
    const record = await edited(direct, { type: "channel", to: room.id, topic: " tea " });
    expect(record).to.include({ type: "stream", to: room.id, topic: "tea", content: "hello" });
  });

  it("is read by the stored type if none is given", async () => {
    const { admin } = scene.org;
    const other = await channel(scene.db, scene.org.realm);
    expect(await edited(inRoom, { to: other.id })).to.include({ to: other.id, topic: "lunch" });
    expect((await edited(direct, { to: [admin.id] })).to).to.deep.equal([admin.id]);
    await editRefused(inRoom, { to: [admin.id] });
    await editRefused(inRoom, { to: [room.id] });
    await editRefused(direct, { to: room.id });
    await editRefused(direct, { to: [] });
  });

  it("is read by the given type", async () => {
    await editRefused(inRoom, { type: "direct", to: room.id });
    await editRefused(direct, { type: "channel", to: [room.id], topic: "x" });
  });

  it("must exist", async () => {
    const extra = { stream_id: 2_000_000_000 };
    await editRefused(inRoom, { to: 2_000_000_000 }, "STREAM_DOES_NOT_EXIST", extra);
    const params = { type: "channel", to: 2_000_000_000, topic: "x" };
    await editRefused(direct, params, "STREAM_DOES_NOT_EXIST", extra);
    await editRefused(direct, { to: [2_000_000_000] });
    for (const to of ["9223372036854775808", "-1", "9".repeat(100)]) {
      const asked = { stream_id: Number(to) };
      await editRefused(inRoom, { to }, "STREAM_DOES_NOT_EXIST", asked);
      await editRefused(direct, { to: `[${to}]` });
    }
  });

  it("must be open to the sender if destination or content change", async () => {
    const { db, org } = scene;
    await unsubscribe(db, room, sender);
    await editRefused(inRoom, { content: "new" });
    await editRefused(inRoom, { to: room.id });
    const closed = await channel(db, org.realm, { inviteOnly: true });
    await editRefused(direct, { type: "channel", to: closed.id, topic: "x" });
    const archived = await channel(db, org.realm, { isArchived: true });
    await editRefused(inRoom, { to: archived.id });
    const gone = await user(db, org.realm, { isActive: false });
    await editRefused(direct, { to: [gone.id] });
  });

  it("is checked with the stored topic and recipients too", async () => {
    const { db, org } = scene;
    const friend = await user(db, org.realm);
    const id = await schedule(client, directMessage([friend.id]));
    await deactivateUser(db, friend);
    await editRefused(id, { content: "new" });
    const empty = await schedule(client, channelMessage(room.id, { topic: "" }));
    await changeChannel(db, room, { topicsPolicy: "disable_empty_topic" });
    await editRefused(empty, { content: "new" }, "BAD_REQUEST", policy);
    expect((await edited(empty, { content: "new", topic: "x" })).content).to.equal("new");
  });

  it("is checked with the mentions of the resulting message", async () => {
    const { db, org } = scene;
    const crowd: TestAccount[] = [];
    for (let i = 0; i < 16; i++) crowd.push(await user(db, org.realm));
    const crowded = await channel(db, org.realm, { subscribers: crowd });
    const wildcard = await schedule(client, channelMessage(room.id, { content: "@**all**" }));
    await editRefused(wildcard, { to: crowded.id }, "STREAM_WILDCARD_MENTION_NOT_ALLOWED");
    await editRefused(
      inRoom,
      { to: crowded.id, content: "@**all**" },
      "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
    );
  });

  it("(9) is not checked if only topic or time change", async () => {
    const { db } = scene;
    await unsubscribe(db, room, sender);
    await changeChannel(db, room, { isArchived: true });
    const at = inSeconds(9_000);
    expect((await edited(inRoom, { topic: "tea" })).topic).to.equal("tea");
    const record = await edited(inRoom, { topic: "milk", scheduled_delivery_timestamp: at });
    expect(record).to.include({ topic: "milk", scheduled_delivery_timestamp: at });
    await edited(inRoom, { scheduled_delivery_timestamp: at + 1 });
  });

  describe("(9) with a new topic alone", () => {
    it("follows the rules for topics", async () => {
      for (const [given, kept] of [
        ["  x ", "x"],
        ["(no topic)", ""],
        ["general chat", ""],
        ["General Chat", "General Chat"],
        ["", ""],
        ["y".repeat(61), `${"y".repeat(57)}...`],
      ] as const) {
        expect((await edited(inRoom, { topic: given })).topic).to.equal(kept);
      }
      for (const topic of ["a\nb", "a\u0007b", "a\ufffeb"]) await editRefused(inRoom, { topic });
    });

    it("follows the topics policy of the channel and of the organization", async () => {
      const { db, org } = scene;
      await changeChannel(db, room, { topicsPolicy: "disable_empty_topic" });
      for (const topic of ["", "(no topic)", "general chat"]) {
        await editRefused(inRoom, { topic }, "BAD_REQUEST", policy);
      }
      await changeChannel(db, room, { topicsPolicy: "empty_topic_only" });
      await editRefused(inRoom, { topic: "x" }, "BAD_REQUEST", policy);
      expect((await edited(inRoom, { topic: "" })).topic).to.equal("");
      await changeChannel(db, room, { topicsPolicy: "inherit" });
      await changeOrganization(db, org.realm, { topicsPolicy: "disable_empty_topic" });
      await editRefused(inRoom, { topic: "" }, "BAD_REQUEST", policy);
      await changeOrganization(db, org.realm, { topicsPolicy: "allow_empty_topic" });
    });

    it("succeeds without a change for a direct message", async () => {
      const before = await recordOf(client, direct);
      for (const topic of ["x", "", "a\u0007b", "a\0b"]) {
        expect(await edited(direct, { topic })).to.deep.equal(before);
      }
    });
  });
});
