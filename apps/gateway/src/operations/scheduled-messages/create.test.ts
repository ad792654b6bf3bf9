import {
  bot,
  changesOf,
  channel,
  channelMessage,
  directMessage,
  inChannel,
  inSeconds,
  messagesOf,
  organization,
  refusedWith,
  schedule,
  scheduleAndRead,
  scheduledMessagesPath,
  scheduledOf,
  scheduleRefused,
  storedRow,
  succeeded,
  type TestChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Scheduling a message", () => {
  const scene = useScene();
  let room: TestChannel;
  before(async () => {
    const { org } = scene;
    room = await channel(scene.db, org.realm, { subscribers: [org.member, org.guest] });
  });

  it("returns only the ID, and lists the whole record", async () => {
    const { member } = scene.org;
    const at = inSeconds(600);
    const record = await scheduleAndRead(
      scene.as(member),
      channelMessage(room.id, { content: "**now**", scheduled_delivery_timestamp: at }),
    );
    expect(record).to.deep.equal({
      scheduled_message_id: record.scheduled_message_id,
      type: "stream",
      to: room.id,
      topic: "lunch",
      content: "**now**",
      rendered_content: "<p><strong>now</strong></p>",
      scheduled_delivery_timestamp: at,
      failed: false,
    });
  });

  it("lists a direct message without a topic and without the sender", async () => {
    const { member, guest, admin } = scene.org;
    const record = await scheduleAndRead(
      scene.as(member),
      directMessage([guest.id, member.id, admin.id], { topic: "ignored" }),
    );
    expect(record).to.have.all.keys(
      "scheduled_message_id",
      "type",
      "to",
      "content",
      "rendered_content",
      "scheduled_delivery_timestamp",
      "failed",
    );
    expect(record.type).to.equal("private");
    expect(record.to).to.deep.equal([guest.id, admin.id].sort((a, b) => a - b));
  });

  for (const [given, type] of [
    ["channel", "stream"],
    ["stream", "stream"],
    ["direct", "private"],
    ["private", "private"],
  ] as const) {
    it(`accepts the type ${given} and lists ${type}`, async () => {
      const { member, guest } = scene.org;
      const params = type === "stream" ? channelMessage(room.id) : directMessage([guest.id]);
      const record = await scheduleAndRead(scene.as(member), { ...params, type: given });
      expect(record.type).to.equal(type);
    });
  }

  it("creates two rows for two identical requests", async () => {
    const client = scene.as(scene.org.member);
    const params = channelMessage(room.id, { content: "twice" });
    const ids = [await schedule(client, params), await schedule(client, params)];
    expect(new Set(ids).size).to.equal(2);
    const twice = (await scheduledOf(client)).filter(({ content }) => content === "twice");
    expect(twice.map((record) => record.scheduled_message_id)).to.have.members(ids);
  });

  it("sends nothing yet: no message, no topic policy, and only its own event", async () => {
    const { member, guest } = scene.org;
    const content = `@**${guest.fullName}** @**all**`;
    const params = channelMessage(room.id, { content, topic: "brand new" });
    const { tables } = await changesOf(scene.db, () => schedule(scene.as(member), params));
    expect(tables).to.deep.equal(["event_head", "event_log", "scheduled_messages"]);
    expect(await messagesOf(scene.as(guest), inChannel(room.id))).to.deep.equal([]);
  });

  it("shows each account its own rows only, including owners", async () => {
    const { member, owner } = scene.org;
    const id = await schedule(scene.as(member), channelMessage(room.id));
    const others = await scheduledOf(scene.as(owner));
    expect(others.map((record) => record.scheduled_message_id)).not.to.include(id);
  });

  it("allows guests and bots, as themselves", async () => {
    const { guest } = scene.org;
    const record = await scheduleAndRead(scene.as(guest), channelMessage(room.id));
    expect(record.to).to.equal(room.id);
    await scheduleAndRead(scene.as(scene.org.bot), channelMessage(room.id));
  });

  it("refuses requests without credentials and bots that may only send", async () => {
    const params = channelMessage(room.id);
    refusedWith(
      await scene.gateway.anonymous.post(scheduledMessagesPath, params),
      "UNAUTHORIZED",
      {},
      401,
    );
    const webhook = await bot(scene.db, scene.org.member, { botType: 2 });
    refusedWith(
      await scene.as(webhook).post(scheduledMessagesPath, params),
      "UNAUTHORIZED",
      {},
      401,
    );
  });

  it("reports unsupported parameters only", async () => {
    const { member } = scene.org;
    const answer = await scene.as(member).post(scheduledMessagesPath, {
      ...channelMessage(room.id),
      read_by_sender: true,
      client: "script",
      zeta: 1,
      alpha: 2,
      queue_id: "q",
      local_id: "1.01",
    });
    expect(succeeded(answer)["ignored_parameters_unsupported"]).to.deep.equal([
      "alpha",
      "local_id",
      "queue_id",
      "zeta",
    ]);
    const direct = await scene
      .as(member)
      .post(scheduledMessagesPath, directMessage([member.id], { topic: "x" }));
    expect(succeeded(direct)).to.have.all.keys("result", "msg", "scheduled_message_id");
  });

  it("stores the client, and schedules a delivery job after the commit", async () => {
    const { member } = scene.org;
    const id = await schedule(
      scene.as(member),
      channelMessage(room.id, { scheduled_delivery_timestamp: inSeconds(1_000) }),
    );
    const row = await storedRow(scene.db, id);
    expect(row).to.include({ version: 1, delivered: false, failed: false, client: "node" });
    expect(scene.gateway.deliveries.length).to.be.greaterThan(0);
  });

  it("finds channels and users of its own organization only", async () => {
    const { member } = scene.org;
    const other = await organization(scene.db);
    const foreign = await channel(scene.db, other.realm);
    await scheduleRefused(scene, member, channelMessage(foreign.id), "STREAM_DOES_NOT_EXIST", {
      stream_id: foreign.id,
    });
    await scheduleRefused(scene, member, directMessage([other.member.id]));
  });
});
