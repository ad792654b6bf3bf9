import {
  bot,
  channel,
  channelMessage,
  deliverNow,
  directMessage,
  eventsOf,
  inSeconds,
  makeDue,
  organization,
  recordOf,
  refused,
  refusedWith,
  schedule,
  scheduledMessagesPath,
  scheduleRefused,
  send,
  storedRow,
  succeeded,
  type Params,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const reply = [{ kind: "reply" }];

describe("Conditions of scheduled messages", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let sender: TestAccount;
  let friend: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    [sender, friend] = [await user(db, org.realm), await user(db, org.realm)];
    room = await channel(db, org.realm, { subscribers: [sender, friend] });
  });

  const withConditions = (unless: unknown, more: Params = {}) =>
    channelMessage(room.id, { unless, ...more });
  const conditions = async (by = sender) =>
    succeeded(await scene.as(by).get(`${scheduledMessagesPath}/conditions`))["conditions"];
  const withheld = async (by = sender) =>
    succeeded(await scene.as(by).get(`${scheduledMessagesPath}/withheld`))[
      "withheld_messages"
    ] as Array<Record<string, unknown>>;
  const edit = (id: number, params: Params) =>
    scene.as(sender).patch(`${scheduledMessagesPath}/${id}`, params);
  const checkIn = (id: number, by = sender) =>
    scene.as(by).post(`${scheduledMessagesPath}/${id}/check_in`);

  it("are stored, listed for the sender only, edited, and removed with an empty list", async () => {
    const every = [
      { kind: "reply", by: [friend.id] },
      { kind: "topic_resolved" },
      { kind: "check_in", by: [friend.id] },
      { kind: "check_in", interval: 60 },
      { kind: "reply" },
    ];
    const id = await schedule(scene.as(sender), withConditions(every));
    await schedule(scene.as(sender), channelMessage(room.id));
    const listed = { scheduled_message_id: id, unless: every, last_check_in: null };
    expect(await conditions()).to.deep.equal([listed]);
    expect(await conditions(friend)).to.deep.equal([]);
    expect(await recordOf(scene.as(sender), id), "the record is unchanged").to.have.all.keys(
      "scheduled_message_id",
      "type",
      "to",
      "topic",
      "content",
      "rendered_content",
      "scheduled_delivery_timestamp",
      "failed",
    );
    expect((await edit(id, { content: "new words" })).status).to.equal(200);
    expect(await conditions()).to.deep.equal([listed]);
    const { result, events } = await eventsOf(scene.db, scene.org.realm.id, () =>
      edit(id, { unless: reply }),
    );
    expect(result.status).to.equal(200);
    expect(events.map(({ type, op }) => [type, op])).to.deep.equal([
      ["scheduled_messages", "update"],
    ]);
    expect(await conditions()).to.deep.equal([{ ...listed, unless: reply }]);
    expect((await edit(id, { unless: [] })).status).to.equal(200);
    expect(await conditions()).to.deep.equal([]);
  });

  it("name each account once", async () => {
    const unless = [{ kind: "reply", by: [friend.id, friend.id] }];
    await schedule(scene.as(sender), withConditions(unless));
    expect(await conditions()).to.containSubset([{ unless: [{ kind: "reply", by: [friend.id] }] }]);
  });

  it("are rejected unless they are known, whole and possible", async () => {
    const other = await organization(scene.db);
    const bad: readonly unknown[] = [
      { kind: "reply" },
      "reply",
      [{ kind: "replly" }],
      [{}],
      [null],
      [{ kind: "reply", interval: 60 }],
      [{ kind: "reply", who: [1] }],
      [{ kind: "topic_resolved", by: [friend.id] }],
      Array.from({ length: 6 }, () => ({ kind: "reply" })),
      [{ kind: "reply", by: [] }],
      [{ kind: "reply", by: [1_999_999_999] }],
      [{ kind: "reply", by: [other.member.id] }],
      [{ kind: "reply", by: [2 ** 40] }],
      [{ kind: "reply", by: Array.from({ length: 51 }, () => friend.id) }],
      [{ kind: "check_in", interval: 59 }],
      [{ kind: "check_in", interval: 2_592_001 }],
      [{ kind: "check_in", interval: 90.5 }],
      [{ kind: "check_in", interval: "60" }],
    ];
    const id = await schedule(scene.as(sender), channelMessage(room.id));
    for (const unless of bad) {
      await scheduleRefused(scene, sender, withConditions(unless));
      await refused(scene.db, () => edit(id, { unless }), "BAD_REQUEST");
    }
    const resolved = [{ kind: "topic_resolved" }];
    await scheduleRefused(scene, sender, directMessage([friend.id], { unless: resolved }));
    const kept = await schedule(scene.as(sender), withConditions(resolved));
    const toFriend = { type: "direct", to: [friend.id] };
    await refused(scene.db, () => edit(kept, toFriend), "BAD_REQUEST");
    expect((await edit(kept, { ...toFriend, unless: reply })).status).to.equal(200);
    await refused(scene.db, () => edit(kept, { unless: resolved }), "BAD_REQUEST");
  });

  it("are refused with 503 while a process of an earlier release runs, but can be removed", async () => {
    const { db } = scene;
    const id = await schedule(scene.as(sender), withConditions(reply));
    const [older] = await db.rows<{ id: string }>(
      `INSERT INTO process_heartbeats (process_id, role, host, pid)
       VALUES (gen_random_uuid(), 'worker', 'old', 1) RETURNING process_id AS id`,
    );
    const ask = () => scene.as(sender).post(scheduledMessagesPath, withConditions(reply));
    await refused(db, ask, "INTERNAL_ERROR", {}, 503);
    expect((await ask()).headers.get("retry-after")).to.equal("30");
    await refused(db, () => edit(id, { unless: reply }), "INTERNAL_ERROR", {}, 503);
    await schedule(scene.as(sender), channelMessage(room.id));
    expect((await edit(id, { unless: [] })).status).to.equal(200);
    await db.rows("DELETE FROM process_heartbeats WHERE process_id = $1", [older?.id]);
    expect((await ask()).status).to.equal(200);
  });

  describe("POST /scheduled_messages/{scheduled_message_id}/check_in", () => {
    it("withholds the message, by its sender or an account that is named", async () => {
      const helper = await bot(scene.db, friend);
      for (const by of [sender, helper]) {
        const unless = [{ kind: "check_in", by: [helper.id] }];
        const id = await schedule(scene.as(sender), withConditions(unless));
        const { scheduled_delivery_timestamp: at } = await recordOf(scene.as(sender), id);
        const { result, events } = await eventsOf(scene.db, scene.org.realm.id, () =>
          checkIn(id, by),
        );
        expect(succeeded(result)).to.include({ scheduled_delivery_timestamp: at });
        expect(events).to.deep.equal([]);
        const [listed] = (await conditions()) as Array<{ last_check_in: number }>;
        expect(listed?.last_check_in).to.be.closeTo(inSeconds(0), 3_600);
        await deliverNow(scene.db, scene.org.realm, [id]);
        expect(await storedRow(scene.db, id)).to.equal(undefined);
        expect((await withheld())[0]).to.deep.include({
          scheduled_message_id: id,
          condition: unless[0],
          message_id: null,
        });
      }
    });

    it("moves the delivery to the interval from now, again and again", async () => {
      const unless = [
        { kind: "check_in", interval: 600 },
        { kind: "check_in", by: [friend.id], interval: 120 },
      ];
      const id = await schedule(scene.as(sender), withConditions(unless));
      for (const [by, interval] of [
        [friend, 120],
        [sender, 120],
        [friend, 120],
      ] as const) {
        await makeDue(scene.db, id, 20);
        const before = await storedRow(scene.db, id);
        const { result, events } = await eventsOf(scene.db, scene.org.realm.id, () =>
          checkIn(id, by),
        );
        const at = Number(succeeded(result)["scheduled_delivery_timestamp"]);
        const [row] = await scene.db.rows<{ ahead: number }>(
          "SELECT extract(epoch FROM deliver_at - last_check_in)::float8 AS ahead FROM scheduled_messages WHERE id = $1",
          [id],
        );
        expect(row?.ahead).to.be.within(interval, interval + 30);
        const record = await recordOf(scene.as(sender), id);
        expect(record.scheduled_delivery_timestamp).to.equal(at);
        expect(events.map(({ type, op }) => [type, op])).to.deep.equal([
          ["scheduled_messages", "update"],
        ]);
        expect(events[0]?.audience).to.deep.equal([sender.id]);
        expect((await storedRow(scene.db, id))?.version).to.equal((before?.version ?? 0) + 1);
      }
      await deliverNow(scene.db, scene.org.realm, [id]);
      expect((await storedRow(scene.db, id))?.delivered, "nobody has checked in").to.equal(true);
    });

    it("answers 404 to strangers, for unknown and withheld messages, and 400 without the condition", async () => {
      const { db, org } = scene;
      const other = await organization(db);
      const id = await schedule(scene.as(sender), withConditions([{ kind: "check_in" }]));
      const plain = await schedule(scene.as(sender), withConditions(reply));
      for (const by of [friend, org.owner, other.owner])
        await refused(db, () => checkIn(id, by), "BAD_REQUEST", {}, 404);
      await refused(db, () => checkIn(plain, friend), "BAD_REQUEST", {}, 404);
      await refused(db, () => checkIn(999_999_999), "BAD_REQUEST", {}, 404);
      await refused(db, () => checkIn(plain), "BAD_REQUEST", {}, 400);
      succeeded(await checkIn(id));
      await deliverNow(db, org.realm, [id]);
      await refused(db, () => checkIn(id), "BAD_REQUEST", {}, 404);
      const late = [{ kind: "check_in", interval: 60 }];
      const sent = await schedule(scene.as(sender), withConditions(late));
      await deliverNow(db, org.realm, [sent]);
      await refused(db, () => checkIn(sent), "BAD_REQUEST", {}, 400);
      const failed = await schedule(scene.as(sender), withConditions(late));
      await deliverNow(db, org.realm, [failed], 700);
      expect((await storedRow(db, failed))?.failed).to.equal(true);
      await refused(db, () => checkIn(failed), "BAD_REQUEST", {}, 400);
    });

    it("waits for an edit that removes the condition", async () => {
      const id = await schedule(scene.as(sender), withConditions([{ kind: "check_in" }]));
      await blocker.lock("LOCK TABLE event_head IN EXCLUSIVE MODE");
      const editing = edit(id, { unless: [] });
      await blocker.untilWaiting(1, "the edit waits for the log");
      const checking = checkIn(id);
      await blocker.untilWaiting(2, "the check-in waits for the row");
      await blocker.release();
      expect((await editing).status).to.equal(200);
      refusedWith(await checking, "BAD_REQUEST", {});
    });
  });

  it("list withheld messages of 30 days, newest first, without those of others", async () => {
    const ids: number[] = [];
    for (const content of ["one", "two"])
      ids.push(await schedule(scene.as(sender), withConditions(reply, { content })));
    const direct = await schedule(scene.as(sender), directMessage([friend.id], { unless: reply }));
    const answer = await send(scene.as(friend), toChannel(room.id));
    const said = await send(scene.as(friend), toUsers([sender.id]));
    for (const id of [...ids, direct]) await deliverNow(scene.db, scene.org.realm, [id]);
    const list = await withheld();
    expect(list.map((each) => each["scheduled_message_id"])).to.deep.equal([
      direct,
      ...ids.toReversed(),
    ]);
    expect(list[1]).to.deep.include({
      type: "stream",
      to: room.id,
      topic: "lunch",
      content: "two",
      condition: { kind: "reply" },
      message_id: answer,
    });
    expect(list[0]).to.deep.include({ type: "private", to: [friend.id], message_id: said });
    expect(list[0]).not.to.have.property("topic");
    expect(list[0]?.["withheld_timestamp"]).to.be.closeTo(inSeconds(0), 3_600);
    expect(await withheld(friend)).to.deep.equal([]);
    await scene.db.rows(
      "UPDATE withheld_messages SET withheld_at = now() - interval '31 days' WHERE scheduled_message_id = $1",
      [direct],
    );
    expect(await withheld()).to.have.length(2);
  });
});
