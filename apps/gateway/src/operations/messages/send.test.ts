import {
  bot,
  channel,
  inChannel,
  messagesOf,
  messagesPath,
  muteUser,
  refusedWith,
  send,
  sendFully,
  sendRefused,
  succeeded,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  user,
  useScene,
  withAgent,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

const marker = "\n[message truncated]";

describe("Sending a message", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.guest] });
  });

  const read = (account: TestAccount) => messagesOf(scene.as(account), inChannel(room.id));

  for (const type of ["channel", "stream", "direct", "private"]) {
    it(`accepts the type ${type}`, async () => {
      const inRoom = type === "channel" || type === "stream";
      const params = inRoom
        ? toChannel(room.id, { type })
        : toUsers([scene.org.guest.id], { type });
      const id = await send(scene.as(sender), params);
      const narrow = inRoom ? inChannel(room.id) : withUsers(scene.org.guest.id);
      const message = (await messagesOf(scene.as(sender), narrow)).at(-1);
      expect(message).to.include({ id, type: inRoom ? "stream" : "private", content: "hello" });
    });
  }

  it("returns the ID, and the topic policy only if it changed", async () => {
    const client = scene.as(sender);
    expect(await sendFully(client, toUsers([scene.org.guest.id]))).to.have.all.keys(
      "result",
      "msg",
      "id",
    );
    const first = await sendFully(client, toChannel(room.id, { topic: "new" }));
    expect(first).to.have.all.keys("result", "msg", "id", "automatic_new_visibility_policy");
    const second = await sendFully(client, toChannel(room.id, { topic: "new" }));
    expect(second).to.have.all.keys("result", "msg", "id");
    expect(second.id).to.be.greaterThan(first.id);
  });

  it("creates a copy for every subscriber: unread, but read if the sender is muted", async () => {
    const { db, org } = scene;
    const annoyed = await user(db, org.realm);
    await muteUser(db, annoyed, sender);
    const hall = await channel(db, org.realm, { subscribers: [sender, org.guest, annoyed] });
    await send(scene.as(sender), toChannel(hall.id));
    const flags = async (account: TestAccount) =>
      (await messagesOf(scene.as(account), inChannel(hall.id)))[0]?.flags;
    expect(await flags(sender)).to.deep.equal([]);
    expect(await flags(org.guest)).to.deep.equal([]);
    expect(await flags(annoyed)).to.deep.equal(["read"]);
    expect(await flags(org.admin), "no copy: history").to.deep.equal(["read", "historical"]);
  });

  it("creates no copy for a sender outside the channel", async () => {
    await send(scene.as(scene.org.admin), toChannel(room.id));
    const own = await read(scene.org.admin);
    expect(own[0]?.flags).to.deep.equal(["read", "historical"]);
  });

  it("marks the message as read for the sender if the request or the client says so", async () => {
    const client = scene.as(sender);
    const flags = async () => (await read(sender)).at(-1)?.flags;
    await send(client, toChannel(room.id, { read_by_sender: true }));
    expect(await flags()).to.deep.equal(["read"]);
    await withAgent(client, "ZulipElectron/5")(messagesPath, toChannel(room.id));
    expect(await flags()).to.deep.equal(["read"]);
    const unread = toChannel(room.id, { read_by_sender: false });
    await withAgent(client, "ZulipElectron/5")(messagesPath, unread);
    expect(await flags()).to.deep.equal([]);
    await withAgent(client, "ZulipFlutter/0.1")(messagesPath, toChannel(room.id));
    expect(await flags()).to.deep.equal([]);
    expect((await read(scene.org.guest)).map((message) => message.flags)).to.deep.equal([
      [],
      [],
      [],
      [],
    ]);
  });

  it("marks a note to oneself from an interactive client as read", async () => {
    const { id } = sender;
    succeeded(await withAgent(scene.as(sender), "website")(messagesPath, toUsers([id])));
    expect((await messagesOf(scene.as(sender), withUsers(id))).at(-1)?.flags).to.deep.equal([
      "read",
    ]);
  });

  it("stores the client of the message", async () => {
    await withAgent(scene.as(sender), "ZulipTerminal/0.7.0 (Linux)")(
      messagesPath,
      toChannel(room.id),
    );
    await send(scene.as(sender), toChannel(room.id, { client: "my bridge" }));
    expect((await read(sender)).map((message) => message.client)).to.deep.equal([
      "ZulipTerminal",
      "my bridge",
    ]);
  });

  it("trims and truncates content and topic like scheduled messages", async () => {
    const client = scene.as(sender);
    const topic = "😀".repeat(61);
    await send(client, toChannel(room.id, { topic, content: `\n\n ${"😀".repeat(10_001)}` }));
    await send(client, toChannel(room.id, { topic: " (no topic) ", content: " a \n" }));
    await send(client, toChannel(room.id, { topic: undefined, subject: "old", content: "b" }));
    expect((await read(sender)).map(({ subject, content }) => [subject, content])).to.deep.equal([
      [`${"😀".repeat(57)}...`, ` ${"😀".repeat(9_979)}${marker}`],
      ["", " a"],
      ["old", "b"],
    ]);
  });

  it("ignores the topic of a direct message", async () => {
    const { admin } = scene.org;
    for (const topic of ["x", "", "a\u0007b", "a\0b"]) {
      await send(scene.as(sender), toUsers([admin.id], { topic }));
    }
    const sent = await messagesOf(scene.as(sender), withUsers(admin.id));
    expect(sent.map(({ subject }) => subject)).to.deep.equal(["", "", "", ""]);
  });

  it("refuses the same as scheduling does", async () => {
    const { db, org } = scene;
    const refused = (params: object, code?: string, extra?: Readonly<Record<string, unknown>>) =>
      sendRefused(scene, sender, toChannel(room.id, { ...params }), code, extra);
    await refused({ content: " \n" });
    await refused({ content: "a\0b" });
    await refused({ topic: undefined });
    await refused({ topic: "a\u0007b" });
    await refused({ to: 2_000_000_000 }, "STREAM_DOES_NOT_EXIST", { stream_id: 2_000_000_000 });
    await refused({ to: (await channel(db, org.realm, { inviteOnly: true })).id });
    await refused({ to: (await channel(db, org.realm, { isArchived: true })).id });
    const mods = { canSendMessageGroupId: org.groups["role:moderators"] };
    await refused({ to: (await channel(db, org.realm, { groups: mods })).id });
    const strict = await channel(db, org.realm, { topicsPolicy: "disable_empty_topic" });
    const shown = { empty_topic_display_name: "general chat" };
    await refused({ to: strict.id, topic: "" }, "BAD_REQUEST", shown);
    await sendRefused(scene, org.guest, toChannel((await channel(db, org.realm)).id));
  });

  it("requires a type and content, and names the missing one", async () => {
    const missing = (name: string) => ({ var_name: name });
    await sendRefused(scene, sender, {}, "REQUEST_VARIABLE_MISSING", missing("type"));
    const none = toChannel(room.id, { content: undefined });
    await sendRefused(scene, sender, none, "REQUEST_VARIABLE_MISSING", missing("content"));
    for (const type of ["", "email", "Channel", "0"]) {
      await sendRefused(scene, sender, toChannel(room.id, { type }));
    }
    await sendRefused(scene, sender, toChannel(room.id, { read_by_sender: "yes" }));
  });

  it("reports unsupported parameters only", async () => {
    const known = { queue_id: "q", local_id: "1.1", read_by_sender: true, client: "x" };
    const params = toChannel(room.id, { ...known, scheduled_delivery_timestamp: 5, zz: 1 });
    expect(
      succeeded(await scene.as(sender).post(messagesPath, params))[
        "ignored_parameters_unsupported"
      ],
    ).to.deep.equal(["scheduled_delivery_timestamp", "zz"]);
  });

  it("allows bots that may only send, and refuses anonymous callers", async () => {
    const webhook = await bot(scene.db, sender, { botType: 2 });
    await send(scene.as(webhook), toChannel(room.id));
    const answer = await scene.gateway.anonymous.post(messagesPath, toChannel(room.id));
    refusedWith(answer, "UNAUTHORIZED");
  });
});
