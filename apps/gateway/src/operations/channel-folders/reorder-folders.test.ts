import { listChannelFolders, reorderChannelFolders } from "@carillon/contract";
import {
  announced,
  channelFolder,
  changesOf,
  countQueries,
  eventsOf,
  organization,
  refused,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

describe("PATCH /channel_folders", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let ids: [number, number, number];
  beforeEach(async () => {
    org = await organization(db);
    const [a, b] = [await channelFolder(db, org.realm), await channelFolder(db, org.realm)];
    ids = [a.id, b.id, (await channelFolder(db, org.realm, { isArchived: true })).id];
  });

  const reorder = (order: unknown, by: TestAccount = org.admin) =>
    gateway.as(by).call(reorderChannelFolders, { params: { order } });
  const listed = async () => {
    const params = { include_archived: true };
    const { channel_folders } = await gateway
      .as(org.member)
      .succeed(listChannelFolders, { params });
    return channel_folders.map(({ id, order }) => [id, order]);
  };

  it("sets the order of all folders and sends it to all accounts", async () => {
    const [a, b, c] = ids;
    const audits = await db.prisma.auditLog.count();
    const { result, events } = await eventsOf(db, org.realm.id, () => reorder([c, a, b]));
    expect([result.status, result.body]).to.deep.equal([200, { result: "success", msg: "" }]);
    expect(await listed()).to.deep.equal([
      [c, 0],
      [a, 1],
      [b, 2],
    ]);
    expect(announced(events)).to.deep.equal([
      { type: "channel_folder", op: "reorder", audience: null, payload: { order: [c, a, b] } },
    ]);
    const rows = await db.prisma.auditLog.findMany({ skip: audits, orderBy: { id: "asc" } });
    expect(rows.map(({ eventType, extraData }) => [eventType, extraData])).to.deep.equal([
      ["channel_folders_reordered", { old: [a, b, c], new: [c, a, b] }],
    ]);
  });

  it("does nothing if the order is already set or there are no folders", async () => {
    const [a, b, c] = ids;
    await reorder([b, a, c]);
    const { result, tables } = await changesOf(db, () => reorder([b, a, c]));
    expect([result.status, tables]).to.deep.equal([200, []]);
    const empty = await organization(db);
    expect((await reorder([], empty.owner)).status).to.equal(200);
  });

  it("appends a new folder after the reordered ones", async () => {
    const [a, b, c] = ids;
    await reorder([c, b, a]);
    const { body } = await gateway
      .as(org.admin)
      .post("/api/v1/channel_folders/create", { name: "new", description: "" });
    expect((await listed()).map(([id]) => id)).to.deep.equal([c, b, a, body["channel_folder_id"]]);
  });

  it("refuses all callers but administrators", async () => {
    for (const by of [org.moderator, org.member, org.guest, org.bot])
      for (const order of [ids, "?"])
        await refused(db, () => reorder(order, by), "UNAUTHORIZED_PRINCIPAL");
  });

  it("refuses an order with missing, repeated or unknown folders", async () => {
    const [a, b, c] = ids;
    const there = await channelFolder(db, (await organization(db)).realm);
    const orders = [[], [a, b], [a, b, c, a], [a, a, b], [a, b, there.id]];
    for (const order of orders) await refused(db, () => reorder(order));
    for (const other of [0, -1, 2_000_000_000, 10 ** 15, there.id])
      await refused(db, () => reorder([a, b, c, other]));
    for (const order of ["", "7", '["1"]', "[1.5]", "[true]", "{}", "[", JSON.stringify([ids])])
      await refused(db, () => reorder(order));
    await refused(db, () => reorder(undefined), "REQUEST_VARIABLE_MISSING", { var_name: "order" });
    const many = Array.from({ length: 501 }, (_, i) => i + 1);
    expect((await refused(db, () => reorder(many))).msg).to.contain("500 channel folders");
  });

  it("runs the same number of statements for any number of folders", async () => {
    const count = async () => {
      const order = (await listed()).map(([id]) => id).toReversed();
      return (await countQueries(db, () => reorder(order))).count;
    };
    const few = await count();
    for (let i = 0; i < 10; i++) await channelFolder(db, org.realm);
    expect(await count()).to.equal(few);
  });
});
