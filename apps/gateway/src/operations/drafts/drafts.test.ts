import {
  createDrafts,
  deleteDraft,
  listDrafts,
  updateDraft,
  updateSettings,
} from "@carillon/contract";
import {
  channel,
  countQueries,
  kindsOf,
  organization,
  refused,
  refusedAlike,
  refusedWith,
  startGateway,
  user,
  useScene,
  watch,
  type Params,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Drafts", () => {
  const scene = useScene();
  let own: TestAccount;
  let room: TestChannel;
  beforeEach(async () => {
    own = await user(scene.db, scene.org.realm);
    room = await channel(scene.db, scene.org.realm, { subscribers: [own] });
  });

  const inRoom = (over: Params = {}): Params => ({
    type: "stream",
    to: [room.id],
    topic: "lunch",
    content: "soup",
    timestamp: 1_700_000_000,
    ...over,
  });
  const call = (drafts: unknown, by = own) =>
    scene.as(by).call(createDrafts, { params: { drafts } });
  const create = async (drafts: readonly Params[], by = own) =>
    (await scene.as(by).succeed(createDrafts, { params: { drafts } })).ids;
  const update = (id: number, draft: unknown, by = own) =>
    scene.as(by).call(updateDraft, { path: { draft_id: id }, params: { draft } });
  const remove = (id: number, by = own) =>
    scene.as(by).call(deleteDraft, { path: { draft_id: id } });
  const list = async (by = own) => {
    const { count, drafts } = await scene.as(by).succeed(listDrafts);
    expect(count).to.equal(drafts.length);
    return drafts;
  };
  const off = (by = own) =>
    scene.as(by).succeed(updateSettings, { params: { enable_drafts_synchronization: false } });

  it("are created for a channel, for people, or without a destination, and listed in order", async () => {
    expect(await list()).to.deep.equal([]);
    const { member, owner, bot } = scene.org;
    const ids = await create([
      inRoom(),
      { type: "private", to: [member.id, owner.id, member.id], topic: "x", content: "hello" },
      { type: "private", to: [own.id, bot.id], topic: "", content: "beep" },
      { type: "private", to: [own.id], topic: "", content: "note" },
      { type: "private", to: [], topic: "", content: "to whom" },
      { type: "", to: [1, 2], topic: "x", content: "what", timestamp: 12.75 },
    ]);
    const listed = await list();
    expect(listed.map(({ id }) => id)).to.deep.equal(ids);
    expect(listed.map(({ type, to, topic }) => [type, to, topic])).to.deep.equal([
      ["stream", [room.id], "lunch"],
      ["private", [member.id, owner.id], ""],
      ["private", [bot.id], ""],
      ["private", [own.id], ""],
      ["private", [], ""],
      ["", [], ""],
    ]);
    expect(listed.map(({ content }) => content)).to.deep.equal([
      "soup",
      "hello",
      "beep",
      "note",
      "to whom",
      "what",
    ]);
    expect(listed[0]?.timestamp).to.equal(1_700_000_000);
    expect(listed[1]?.timestamp).to.be.closeTo(Date.now() / 1_000, 600);
    expect(listed[5]?.timestamp).to.equal(12);
    expect(await create([])).to.deep.equal([]);
  });

  it("normalize content and topic like messages", async () => {
    await create([
      inRoom({ topic: ` ${"t".repeat(70)}`, content: "\n\nsoup  \n" }),
      inRoom({ content: "x".repeat(10_001) }),
    ]);
    const [short, long] = await list();
    expect(short).to.include({ topic: `${"t".repeat(57)}...`, content: "soup" });
    expect(long?.content).to.have.length(10_000);
  });

  it("are refused as a whole if one is invalid", async () => {
    const bad: unknown[] = [
      "",
      "x",
      "{}",
      "null",
      "[1]",
      [inRoom(), "x"],
      [inRoom(), {}],
      [inRoom({ type: "channel" })],
      [inRoom({ type: null })],
      [inRoom({ to: room.id })],
      [inRoom({ to: ["1"] })],
      [inRoom({ to: [] })],
      [inRoom({ to: [room.id, room.id] })],
      [inRoom({ topic: null })],
      [inRoom({ content: "" }), inRoom()],
      [inRoom(), inRoom({ content: " \n" })],
      [inRoom({ content: "a\0b" })],
      [inRoom({ topic: "a\0b" })],
      [inRoom({ timestamp: -1 })],
      [inRoom({ timestamp: "1" })],
      [inRoom({ timestamp: 1e300 })],
      [inRoom({ more: 1 })],
      [{ type: "private", to: [own.id, 2_000_000_000], topic: "", content: "x" }],
      [{ type: "private", to: [0], topic: "", content: "x" }],
    ];
    for (const drafts of bad)
      await refused(scene.db, () => call(drafts), "BAD_REQUEST", {}).catch((error: unknown) => {
        throw new Error(`${JSON.stringify(drafts)}: ${String(error)}`);
      });
    const ask = () => scene.as(own).call(createDrafts);
    await refused(scene.db, ask, "REQUEST_VARIABLE_MISSING", { var_name: "drafts" });
  });

  it("are allowed for readable channels only, and do not reveal others", async () => {
    const { db, org } = scene;
    const hidden = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    const other = await organization(db);
    const theirs = await channel(db, other.realm, { subscribers: [other.member] });
    const [id = 0] = await create([inRoom()]);
    const ids = [hidden.id, theirs.id];
    await refusedAlike(db, ids, (to) => call([inRoom({ to: [to] })]));
    await refusedAlike(db, ids, (to) => update(id, inRoom({ to: [to] })));
    const stranger = { type: "private", to: [other.member.id], topic: "", content: "x" };
    await refused(db, () => call([stranger]), "BAD_REQUEST", {});
  });

  it("are replaced as a whole", async () => {
    const [id = 0] = await create([inRoom()]);
    const { status } = await update(id, {
      type: "private",
      to: [scene.org.member.id],
      topic: "",
      content: "hello",
      timestamp: 5,
    });
    expect(status).to.equal(200);
    expect(await list()).to.deep.equal([
      { id, type: "private", to: [scene.org.member.id], topic: "", content: "hello", timestamp: 5 },
    ]);
    await refused(scene.db, () => update(id, inRoom({ content: "" })), "BAD_REQUEST", {});
    await refused(scene.db, () => update(id, "x"), "BAD_REQUEST", {});
    const ask = () => scene.as(own).call(updateDraft, { path: { draft_id: id } });
    await refused(scene.db, ask, "REQUEST_VARIABLE_MISSING", { var_name: "draft" });
  });

  it("of other accounts answer 404", async () => {
    const { member } = scene.org;
    const [theirs = 0] = await create([{ type: "", to: [], topic: "", content: "x" }], member);
    for (const id of [theirs, 0, 2_000_000_000, 99_999_999_999_999]) {
      await refused(scene.db, () => update(id, inRoom()), "BAD_REQUEST", {}, 404);
      await refused(scene.db, () => remove(id), "BAD_REQUEST", {}, 404);
    }
    expect(await list(member)).to.have.length(1);
    expect((await remove(theirs, member)).status).to.equal(200);
    expect(await list(member)).to.deep.equal([]);
  });

  it("are sent to the account alone and are in its snapshot", async () => {
    const queues = { own: { account: own }, other: { account: scene.org.owner } };
    let id = 0;
    const received = await watch(scene.gateway, queues, async () => {
      [id = 0] = await create([inRoom(), inRoom({ content: "bread" })]);
      await update(id, inRoom({ content: "cake" }));
      const registered = await scene
        .as(own)
        .post("/api/v1/register", { fetch_event_types: ["drafts"] });
      expect(registered.body["drafts"]).to.deep.equal(await list());
      await remove(id);
    });
    expect(kindsOf(received.own)).to.deep.equal(["drafts/add", "drafts/update", "drafts/remove"]);
    const [added, updated, removed] = received.own;
    const contents = (drafts: unknown) => (drafts as Params[]).map(({ content }) => content);
    expect(contents(added?.["drafts"])).to.deep.equal(["soup", "bread"]);
    expect(updated?.["draft"]).to.deep.include({
      id,
      type: "stream",
      to: [room.id],
      content: "cake",
    });
    expect(removed?.["draft_id"]).to.equal(id);
    expect(received.other).to.deep.equal([]);
  });

  it("are deleted and refused without an event if the account does not keep drafts", async () => {
    const [id = 0] = await create([inRoom()]);
    const received = await watch(scene.gateway, { own: { account: own } }, () => off());
    expect(kindsOf(received.own)).to.deep.equal(["user_settings/update"]);
    const asked = [
      () => call([inRoom()]),
      () => scene.as(own).call(listDrafts),
      () => update(id, inRoom()),
      () => remove(id),
    ];
    await refusedAlike(scene.db, asked, (ask) => ask());
    const settings = { params: { enable_drafts_synchronization: true } };
    await scene.as(own).succeed(updateSettings, settings);
    expect(await list()).to.deep.equal([]);
    await create([inRoom()]);
  });

  it("are never left over by a request that stores some while they are turned off", async () => {
    const second = await startGateway(scene.db);
    for (let round = 0; round < 5; round++) {
      const one = await user(scene.db, scene.org.realm);
      const draft = { type: "", to: [], topic: "", content: "x" };
      const [answer] = await Promise.all([
        second.as(one).call(createDrafts, { params: { drafts: [draft] } }),
        off(one),
      ]);
      if (answer.status !== 200) refusedWith(answer, "BAD_REQUEST", {});
      expect(await scene.db.prisma.draft.count({ where: { userId: one.id } })).to.equal(0);
    }
    await second.close();
  });

  it("are limited to 1000, and take the same number of statements for any number", async () => {
    const one = await countQueries(scene.db, () => create([inRoom()]));
    const many = await countQueries(scene.db, () => create(Array(500).fill(inRoom())));
    expect(many.count).to.equal(one.count);
    const { msg } = await refused(
      scene.db,
      () => call(Array(500).fill(inRoom())),
      "BAD_REQUEST",
      {},
    );
    expect(msg).to.include("1000");
    await create(Array(499).fill(inRoom()));
    expect(await list()).to.have.length(1_000);
  });
});
