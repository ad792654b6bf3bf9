import {
  checkInAtMessageSeries,
  listConditions,
  listWithheldMessages,
  pauseMessageSeries,
} from "@carillon/contract";
import {
  askWithKey,
  bot,
  channel,
  createdSeries,
  dailySeries,
  deliverPlanned,
  organization,
  type Params,
  refused,
  refusedWith,
  replayed,
  runsOf,
  send,
  seriesOf,
  succeeded,
  type TestAccount,
  type TestChannel,
  toChannel,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const checkInCondition = (...by: readonly TestAccount[]) => ({
  kind: "check_in",
  ...(by.length > 0 ? { by: by.map(({ id }) => id) } : {}),
});

describe("POST /message_series/{series_id}/check_in", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let room: TestChannel;
  let author: TestAccount;
  let manager: TestAccount;
  let backup: TestAccount;

  beforeEach(async () => {
    const { db, org } = scene;
    author = await user(db, org.realm);
    manager = await user(db, org.realm);
    backup = await bot(db, manager);
    room = await channel(db, org.realm, { subscribers: [author, manager, org.guest] });
  });
  afterEach(() => scene.db.rows("DELETE FROM message_series"));

  const create = (unless: readonly unknown[], over: Params = {}) =>
    createdSeries(scene.as(author), dailySeries(room.id, { unless, ...over }));
  const checkIn = (id: number, by = author) =>
    scene.as(by).call(checkInAtMessageSeries, { path: { series_id: id } });
  const read = (id: number) => seriesOf(scene.as(author), id);
  const deliverNext = (id: number) =>
    deliverPlanned(scene.db, scene.org.realm, scene.as(author), id);
  const outcomes = async (id: number) =>
    (await runsOf(scene.as(author), id)).map(({ outcome }) => outcome);

  it("withholds the planned occurrence, and not the one after it", async () => {
    const id = await create([checkInCondition(backup)]);
    for (const by of [author, backup]) {
      const before = await read(id);
      expect((await checkIn(id, by)).body).to.include({
        result: "success",
        scheduled_delivery_timestamp: before.next_delivery_timestamp,
      });
      expect(await read(id)).to.deep.equal(before);
      await deliverNext(id);
      const after = await read(id);
      expect(after.next_occurrence! > before.next_occurrence!).to.equal(true);
      const { conditions } = await scene.as(author).succeed(listConditions);
      expect(conditions).to.deep.equal([
        {
          scheduled_message_id: after.next_scheduled_message_id,
          unless: [checkInCondition(backup)],
          last_check_in: null,
        },
      ]);
      await deliverNext(id);
    }
    expect(await outcomes(id)).to.deep.equal(["sent", "withheld", "sent", "withheld"]);
    expect(await read(id)).to.include({ sent_count: 2, consecutive_failures: 0 });
    const { withheld_messages: withheld } = await scene.as(author).succeed(listWithheldMessages);
    expect(withheld.map(({ condition }) => condition)).to.deep.equal([
      checkInCondition(backup),
      checkInCondition(backup),
    ]);
  });

  it("keeps the time at which an occurrence was planned, since which replies count", async () => {
    const id = await create([{ kind: "reply" }, checkInCondition()]);
    const answer = await send(
      scene.as(manager),
      toChannel(room.id, { topic: "stand-up", content: "done" }),
    );
    await deliverNext(id);
    await deliverNext(id);
    const [second, first] = await runsOf(scene.as(author), id);
    expect(first).to.include({ outcome: "withheld", message_id: answer });
    expect(second).to.include({ outcome: "sent" });
    await send(scene.as(manager), toChannel(room.id, { topic: "stand-up", content: "again" }));
    await deliverNext(id);
    expect(await outcomes(id)).to.deep.equal(["withheld", "sent", "withheld"]);
  });

  it("answers 404 to strangers, and 400 without the condition or a planned occurrence", async () => {
    const { db, org } = scene;
    const elsewhere = (await organization(db)).owner;
    const managed = {
      can_manage_group: { direct_members: [manager.id], direct_subgroups: [] },
    };
    const id = await create([checkInCondition(backup)], managed);
    const plain = await create([{ kind: "reply" }]);
    for (const by of [manager, org.owner, org.guest, elsewhere])
      await refused(db, () => checkIn(id, by), "BAD_REQUEST", {}, 404);
    await refused(db, () => checkIn(plain, backup), "BAD_REQUEST", {}, 404);
    await refused(db, () => checkIn(999_999_999), "BAD_REQUEST", {}, 404);
    await refused(db, () => checkIn(plain), "BAD_REQUEST", {}, 400);
    await scene.as(author).succeed(pauseMessageSeries, { path: { series_id: id } });
    await refused(db, () => checkIn(id), "BAD_REQUEST", {}, 400);
  });

  it("answers a repeated request with a key as before, and does not count it twice", async () => {
    const id = await create([checkInCondition()]);
    const path = `/api/v1/message_series/${id}/check_in`;
    const ask = () => askWithKey(scene.as(author), { path, key: "checked" });
    const first = await ask();
    expect(succeeded(first)).to.have.property("scheduled_delivery_timestamp");
    await deliverNext(id);
    const repeated = await ask();
    expect(replayed(repeated)).to.equal("true");
    expect(succeeded(repeated)).to.include({
      scheduled_delivery_timestamp: first.body["scheduled_delivery_timestamp"],
    });
    await deliverNext(id);
    expect(await outcomes(id)).to.deep.equal(["sent", "withheld"]);
  });

  it("counts for the next occurrence if the planned one is delivered meanwhile", async () => {
    const id = await create([checkInCondition()]);
    await blocker.lock("LOCK TABLE event_head IN EXCLUSIVE MODE");
    const delivering = deliverNext(id);
    await blocker.untilWaiting(1, "the delivery waits for the log");
    const checking = checkIn(id);
    await blocker.untilWaiting(2, "the check-in waits for the row");
    await blocker.release();
    await delivering;
    expect((await checking).body).to.include({
      result: "success",
      scheduled_delivery_timestamp: (await read(id)).next_delivery_timestamp,
    });
    await deliverNext(id);
    expect(await outcomes(id)).to.deep.equal(["withheld", "sent"]);
  });

  it("is refused when the series is deleted meanwhile", async () => {
    const id = await create([checkInCondition()]);
    await blocker.lock("LOCK TABLE event_head IN EXCLUSIVE MODE");
    const deleting = scene.as(author).delete(`/api/v1/message_series/${id}`);
    await blocker.untilWaiting(1, "the deletion waits for the log");
    const checking = checkIn(id);
    await blocker.untilWaiting(2, "the check-in waits for the row");
    await blocker.release();
    expect((await deleting).status).to.equal(200);
    refusedWith(await checking, "BAD_REQUEST", {}, 404);
  });
});
