import { markAllRead } from "@carillon/contract";
import {
  announced,
  bot,
  changesOf,
  channel,
  countQueries,
  eventsOf,
  muteUser,
  pastMessages,
  refused,
  setTopicPolicy,
  subscribe,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useGateway,
  useBlocker,
  user,
  useScene,
  withEvents,
} from "@carillon/testkit";
import { expect } from "chai";

import { idsFor, leaveUnread, post, term, write } from "../../test-support/reading-messages.ts";

describe("POST /mark_all_as_read", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  const hasty = useGateway(scene.db, { app: { deadlineMs: 1_500 } });
  const blocker = useBlocker(scene.db);
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    reader = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [reader, scene.org.owner] });
  });

  const say = (topic?: string, where = room) => post(scene.gateway, scene.org.owner, where, topic);
  const ask = (by = reader, gateway = scene.gateway) => gateway.as(by).call(markAllRead);
  const unread = (by = reader) => idsFor(scene.gateway, by, [term("is", "unread")]);
  const done = { result: "success", msg: "", complete: true };

  /** @returns the events and their receivers */
  async function mark(by = reader) {
    const { answer, received } = await withEvents(scene.db, by, () => ask(by));
    expect(answer).to.deep.equal({ complete: true });
    return received;
  }

  const allRead = (by = reader) => ({
    type: "update_message_flags",
    op: "add",
    payload: { operation: "add", flag: "read", messages: [], all: true },
    audience: [by.id],
  });

  it("marks all unread messages of the caller only, with one event", async () => {
    const { db, gateway, org } = scene;
    await setTopicPolicy(db, reader, room, "rain", "muted");
    const lost = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [reader, org.owner],
    });
    await subscribe(db, room, org.member);
    const ids = [
      await say(),
      await say("rain"),
      await write(gateway, org.owner, [reader]),
      await write(gateway, org.admin, [reader, org.member]),
    ];
    await muteUser(db, reader, org.admin);
    await say("lunch", lost);
    await unsubscribe(db, lost, reader);
    expect(await unread()).to.deep.equal(ids);
    const others = await unread(org.member);
    expect(await mark()).to.deep.equal([allRead()]);
    const left = await db.rows("SELECT FROM user_messages WHERE user_id = $1 AND flags & 1 = 0", [
      reader.id,
    ]);
    expect(left).to.deep.equal([]);
    expect(await unread(org.member)).to.deep.equal(others);
  });

  it("changes nothing and sends no event if nothing is unread", async () => {
    await say();
    await mark();
    const { tables } = await changesOf(scene.db, async () => {
      expect(await mark()).to.deep.equal([]);
    });
    expect(tables).to.deep.equal([]);
    const later = await say();
    expect(await unread()).to.deep.equal([later]);
  });

  it("allows guests and bots", async () => {
    const { db, org } = scene;
    for (const by of [org.guest, await bot(db, org.owner)]) {
      await subscribe(db, room, by);
      await say();
      expect(await mark(by)).to.deep.equal([allRead(by)]);
      expect(await unread(by)).to.deep.equal([]);
    }
  });

  it("requires authentication", async () => {
    const path = "/api/v1/mark_all_as_read";
    await refused(scene.db, () => scene.gateway.anonymous.post(path, {}), "UNAUTHORIZED");
  });

  it("runs the same number of statements for any number of messages", async () => {
    const { db, org } = scene;
    const ids = await pastMessages(db, room, org.owner, { count: 300 });
    await leaveUnread(db, reader, ids[0] ?? 0);
    const one = await countQueries(db, () => mark());
    await leaveUnread(db, reader, ...ids);
    const many = await countQueries(db, () => mark());
    expect(many.statements).to.deep.equal(one.statements);
  });

  it("sends one event when two gateways are asked at once", async () => {
    const { db, org } = scene;
    await pastMessages(db, room, org.owner, { count: 200 });
    const { result, events } = await eventsOf(db, org.realm.id, () =>
      Promise.all([scene.gateway, second, scene.gateway].map((gateway) => ask(reader, gateway))),
    );
    for (const { body } of result) expect(body).to.deep.equal(done);
    expect(announced(events)).to.deep.equal([allRead()]);
    expect(await unread()).to.deep.equal([]);
  });

  it("lists the messages in the event if one arrives meanwhile and stays unread", async () => {
    const { db, org } = scene;
    const id = await say();
    const [before = 0] = await pastMessages(db, room, org.owner, { holders: [org.owner] });
    await blocker.lock("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [org.realm.id]);
    const asked = eventsOf(db, org.realm.id, () => ask());
    await blocker.untilWaiting(1, "it waits for those who tell of something");
    await blocker.lock("INSERT INTO user_messages (user_id, message_id) VALUES ($1, $2)", [
      reader.id,
      before,
    ]);
    await blocker.lock("COMMIT");
    const { result, events } = await asked;
    expect(result.body).to.deep.equal(done);
    expect(announced(events)).to.deep.equal([
      { ...allRead(), payload: { operation: "add", flag: "read", messages: [id], all: false } },
    ]);
    expect(await unread()).to.deep.equal([before]);
  });

  it("waits for a copy that is deleted meanwhile, and sends no event about it", async () => {
    const { db, org } = scene;
    const id = await say();
    await blocker.lock("DELETE FROM user_messages WHERE message_id = $1", [id]);
    const asked = eventsOf(db, org.realm.id, () => ask());
    await blocker.untilWaiting(1, "it waits for the copy");
    await blocker.lock("COMMIT");
    const { result, events } = await asked;
    expect(result.body).to.deep.equal(done);
    expect(events).to.deep.equal([]);
  });

  it("refuses a deactivated account", async () => {
    const { db } = scene;
    const id = await say();
    await db.rows("UPDATE users SET is_active = false WHERE id = $1", [reader.id]);
    await refused(db, () => ask(), "UNAUTHORIZED");
    await db.rows("UPDATE users SET is_active = true WHERE id = $1", [reader.id]);
    expect(await unread()).to.deep.equal([id]);
  });

  for (const [what, lock] of [
    ["its messages", "SELECT FROM user_messages FOR UPDATE"],
    ["the organization's events", "SELECT FROM event_head FOR UPDATE"],
  ] as const)
    it(`changes nothing if the deadline passes while it waits for ${what}`, async () => {
      const id = await say();
      const { tables } = await changesOf(scene.db, async () => {
        await blocker.lock(lock);
        expect((await ask(reader, hasty)).status).to.equal(503);
        expect(await blocker.waiting()).to.equal(0);
        await blocker.release();
      });
      expect(tables).to.deep.equal([]);
      expect(await unread()).to.deep.equal([id]);
      expect(await mark()).to.deep.equal([allRead()]);
    });
});
