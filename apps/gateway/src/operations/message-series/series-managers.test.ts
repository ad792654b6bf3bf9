import {
  deleteMessageSeries,
  editMessageSeries,
  listSeriesOccurrences,
  pauseMessageSeries,
  resumeMessageSeries,
  sendSeriesNow,
  skipSeriesOccurrence,
  takeOverMessageSeries,
} from "@carillon/contract";
import {
  anonymousGroup,
  changeChannel,
  channel,
  createdSeries,
  dailySeries,
  kindsOf,
  organization,
  type Params,
  refused,
  scheduledOf,
  seriesOf,
  type TestAccount,
  type TestChannel,
  user,
  userGroup,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Message series with managers", () => {
  const scene = useScene();
  let room: TestChannel;
  let author: TestAccount;
  let manager: TestAccount;
  let stranger: TestAccount;

  beforeEach(async () => {
    const { db, org } = scene;
    author = await user(db, org.realm);
    manager = await user(db, org.realm);
    stranger = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [author, manager, stranger, org.guest] });
  });

  const managedBy = (...members: readonly TestAccount[]): Params => ({
    can_manage_group: { direct_members: members.map(({ id }) => id), direct_subgroups: [] },
  });
  const create = (over: Params = {}, by = author) =>
    createdSeries(scene.as(by), dailySeries(room.id, over));
  const edit = (id: number, params: Params, by = author) =>
    scene.as(by).call(editMessageSeries, { path: { series_id: id }, params });
  const at = (id: number) => ({ path: { series_id: id } });

  it("are seen and changed by managers; the author stays the same unless topic or content change", async () => {
    const { db } = scene;
    const id = await create(managedBy(manager, scene.org.guest));
    for (const by of [stranger, scene.org.guest])
      for (const operation of [
        pauseMessageSeries,
        resumeMessageSeries,
        skipSeriesOccurrence,
        sendSeriesNow,
        takeOverMessageSeries,
        deleteMessageSeries,
        listSeriesOccurrences,
      ])
        await refused(db, () => scene.as(by).call(operation, at(id)), "BAD_REQUEST", {}, 404);
    await refused(db, () => edit(id, { template: true }, stranger), "BAD_REQUEST", {}, 404);
    const elsewhere = (await organization(db)).owner;
    await refused(
      db,
      () => scene.as(elsewhere).call(pauseMessageSeries, at(id)),
      "BAD_REQUEST",
      {},
      404,
    );
    expect((await edit(id, { start: "2021-01-01T12:00" }, manager)).status).to.equal(200);
    expect(await seriesOf(scene.as(manager), id)).to.include({ author_id: author.id });
    await refused(db, () => edit(id, managedBy(stranger), manager), "BAD_REQUEST", {});
    expect((await edit(id, { content: "My words" }, manager)).status).to.equal(200);
    expect(await seriesOf(scene.as(manager), id)).to.include({ author_id: manager.id });
    expect(await scheduledOf(scene.as(author))).to.deep.equal([]);
    expect((await scheduledOf(scene.as(manager)))[0]).to.include({ content: "My words" });
  });

  it("take the update form of can_manage_group, and compare the value that it expects", async () => {
    const { db, org } = scene;
    const id = await create();
    const nobody = org.groups["role:nobody"];
    const moderators = org.groups["role:moderators"];
    const change = (value: unknown) => edit(id, { can_manage_group: value });
    expect((await change({ new: moderators, old: nobody })).status).to.equal(200);
    expect(await seriesOf(scene.as(author), id)).to.include({ can_manage_group: moderators });
    for (const old of [nobody, { direct_members: [manager.id], direct_subgroups: [] }])
      await refused(db, () => change({ new: nobody, old }), "EXPECTATION_MISMATCH", {
        field_name: "old",
      });
    await refused(db, () => change({ new: 99_999_999, old: moderators }), "BAD_REQUEST", {});
    await refused(db, () => change({ old: moderators }), "BAD_REQUEST", {});
    const some = { direct_members: [manager.id], direct_subgroups: [] };
    expect((await change({ new: some })).status).to.equal(200);
    expect((await change({ new: nobody, old: some })).status).to.equal(200);
    expect(await seriesOf(scene.as(author), id)).to.include({ can_manage_group: nobody });
    const [last] = await db.rows<{ changed: unknown }>(
      `SELECT extra_data->'changed' AS changed FROM audit_log WHERE event_type = 'message_series_updated'
       ORDER BY id DESC LIMIT 1`,
    );
    expect(last?.changed).to.deep.equal(["canManageGroup"]);
  });

  it("send no events when the members of a managing group change, only with the next change of the series", async () => {
    const { db, org } = scene;
    const team = await userGroup(db, org.realm, { members: [author] });
    const id = await create({ can_manage_group: team.id });
    const queues = {
      manager: { account: manager, params: { event_types: ["message_series"] } },
    };
    const told = await watch(scene.gateway, queues, async () => {
      await db.rows("INSERT INTO user_group_member (group_id, user_id) VALUES ($1, $2)", [
        team.id,
        manager.id,
      ]);
      expect(await seriesOf(scene.as(manager), id)).to.include({ author_id: author.id });
      await scene.as(author).succeed(pauseMessageSeries, at(id));
    });
    expect(kindsOf(told.manager)).to.deep.equal(["message_series/update"]);
  });

  it("may be paused, skipped and deleted, but not edited, by administrators of the channel", async () => {
    const { db, org } = scene;
    const id = await create();
    const client = scene.as(org.admin);
    expect(await seriesOf(client, id)).to.include({ author_id: author.id });
    for (const operation of [resumeMessageSeries, sendSeriesNow, takeOverMessageSeries])
      await refused(db, () => client.call(operation, at(id)), "BAD_REQUEST", {});
    await refused(db, () => edit(id, { template: true }, org.admin), "BAD_REQUEST", {});
    await client.succeed(skipSeriesOccurrence, at(id));
    await client.succeed(pauseMessageSeries, at(id));
    await client.succeed(deleteMessageSeries, at(id));
    await refused(db, () => client.call(deleteMessageSeries, at(id)), "BAD_REQUEST", {}, 404);
  });

  it("are taken over by a manager who may send their message", async () => {
    const { db } = scene;
    const id = await create(managedBy(manager));
    await scene.as(manager).succeed(takeOverMessageSeries, at(id));
    expect(await seriesOf(scene.as(manager), id)).to.include({ author_id: manager.id });
    await scene.as(manager).succeed(takeOverMessageSeries, at(id));
    await refused(
      db,
      () => scene.as(author).call(takeOverMessageSeries, at(id)),
      "BAD_REQUEST",
      {},
      404,
    );
    const audited = await db.rows<{ type: string }>(
      `SELECT event_type AS type FROM audit_log WHERE event_type LIKE 'message_series%'
         AND (extra_data->>'series_id')::int = $1 ORDER BY id`,
      [id],
    );
    expect(audited.map(({ type }) => type)).to.deep.equal([
      "message_series_created",
      "message_series_taken_over",
    ]);
  });

  it("keep their author and message if a manager who may not post in the channel changes it or takes over", async () => {
    const { db, org } = scene;
    const id = await create(managedBy(manager));
    const canSendMessageGroupId = await db.transaction((tx) =>
      anonymousGroup(tx, org.realm.id, [author.id]),
    );
    await changeChannel(db, room, { canSendMessageGroupId });
    const before = await seriesOf(scene.as(author), id);
    for (const params of [{ content: "My words" }, { topic: "mine" }])
      await refused(db, () => edit(id, params, manager), "BAD_REQUEST", {});
    await refused(
      db,
      () => scene.as(manager).call(takeOverMessageSeries, at(id)),
      "BAD_REQUEST",
      {},
    );
    expect(await seriesOf(scene.as(author), id)).to.deep.equal(before);
    expect((await edit(id, { catch_up_seconds: 0 }, manager)).status).to.equal(200);
    expect(await seriesOf(scene.as(author), id)).to.include({ author_id: author.id });
  });

  it("are sent as opt-in events to the author and the managers, and are in their snapshot", async () => {
    const queues = {
      author: { account: author, params: { event_types: ["message_series"] } },
      manager: { account: manager, params: { event_types: ["message_series"] } },
      stranger: { account: stranger, params: { event_types: ["message_series"] } },
      unaware: { account: author },
    };
    const told = await watch(scene.gateway, queues, async () => {
      const id = await create(managedBy(manager));
      await scene.as(author).succeed(pauseMessageSeries, at(id));
      const registered = await scene
        .as(manager)
        .post("/api/v1/register", { fetch_event_types: ["message_series"] });
      expect(registered.body["message_series"]).to.deep.equal([
        await seriesOf(scene.as(manager), id),
      ]);
      await edit(id, { can_manage_group: scene.org.groups["role:nobody"] });
      await scene.as(author).succeed(deleteMessageSeries, at(id));
    });
    expect(kindsOf(told.author)).to.deep.equal([
      "message_series/add",
      "message_series/update",
      "message_series/update",
      "message_series/remove",
    ]);
    expect(kindsOf(told.manager)).to.deep.equal([
      "message_series/add",
      "message_series/update",
      "message_series/remove",
    ]);
    expect(kindsOf(told.stranger)).to.deep.equal([]);
    expect(kindsOf(told.unaware)).to.deep.equal([
      "scheduled_messages/add",
      "scheduled_messages/remove",
    ]);
    const plain = await scene.as(author).post("/api/v1/register", {});
    expect(plain.body).not.to.have.property("message_series");
  });
});
