import {
  createChannel,
  createChannelFolder,
  maxChannelFolders,
  reorderChannelFolders,
  updateChannelFolder,
} from "@carillon/contract";
import { lockGroupGraph } from "@carillon/model";
import {
  channel,
  channelFolder,
  countWaiting,
  organization,
  refusedWith,
  roles,
  unique,
  useDatabase,
  useGateway,
  user,
  waitFor,
  type Params,
  type Refusable,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

/** Rounds of each race; the winner differs between rounds. */
const rounds = 6;

describe("Channel folders: concurrent requests", () => {
  const db = useDatabase({ max: 20 });
  const gateways = [useGateway(db), useGateway(db)] as const;
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const as = (number: number, by: TestAccount = org.admin) => gateways[number % 2 ? 1 : 0].as(by);
  const create = (number: number, name: string, by?: TestAccount) =>
    as(number, by).call(createChannelFolder, { params: { name, description: "" } });
  const change = (number: number, id: number, params: Params) =>
    as(number).call(updateChannelFolder, { path: { channel_folder_id: id }, params });
  const outcomes = (answers: readonly Refusable[]) =>
    answers.map(({ status, body }) => `${status} ${body.code ?? ""}`).toSorted();
  const stored = () =>
    db.prisma.channelFolder.findMany({ where: { realmId: org.realm.id }, orderBy: { id: "asc" } });

  it("give a name to one of several requests, regardless of case", async () => {
    for (let round = 0; round < rounds; round++) {
      const name = unique("Ärger");
      const spelled = [name, name.toUpperCase(), name.toLowerCase(), ` ${name}`];
      const other = await channelFolder(db, org.realm);
      const answers = await Promise.all([
        ...spelled.map((each, i) => create(i, each)),
        change(1, other.id, { name }),
      ]);
      expect(outcomes(answers)).to.deep.equal([
        "200 ",
        ...Array<string>(spelled.length).fill("400 BAD_REQUEST"),
      ]);
    }
  });

  it("never exceed the organization's limit under concurrent requests", async () => {
    await db.rows(
      `INSERT INTO channel_folders (realm_id, name)
       SELECT $1, gen_random_uuid() FROM generate_series(1, $2)`,
      [org.realm.id, maxChannelFolders - 2],
    );
    const answers = await Promise.all([0, 1, 2, 3, 4].map((i) => create(i, unique("folder"))));
    expect(outcomes(answers).filter((outcome) => outcome === "200 ")).to.have.length(2);
    expect(await stored()).to.have.length(maxChannelFolders);
  });

  it("end in an order that one request asked for, with the new folder last", async () => {
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) ids.push((await channelFolder(db, org.realm)).id);
    for (let round = 0; round < rounds; round++) {
      const orders = [ids.toReversed(), [...ids.slice(1), ids[0]]];
      const [made, ...reordered] = await Promise.all([
        create(round, unique("folder")),
        ...orders.map((order, i) => as(i).call(reorderChannelFolders, { params: { order } })),
      ]);
      expect(made?.status).to.equal(200);
      const after = (await stored()).toSorted((a, b) => a.order - b.order).map(({ id }) => id);
      const last = after.pop()!;
      expect(ids).not.to.include(last);
      const done = orders.filter((_, i) => reordered[i]?.status === 200);
      expect(done.length > 0 ? done : [ids]).to.deep.include(after);
      ids.splice(0, ids.length, ...after, last);
    }
  });

  it("archive a folder once", async () => {
    const { id } = await channelFolder(db, org.realm);
    const audits = await db.prisma.auditLog.count();
    const answers = await Promise.all([0, 1, 2].map((i) => change(i, id, { is_archived: true })));
    expect(outcomes(answers)).to.deep.equal(["200 ", "200 ", "200 "]);
    expect(await db.prisma.auditLog.count()).to.equal(audits + 1);
  });

  it("do not block archiving on a channel that is moved into the folder", async () => {
    const { id } = await channelFolder(db, org.realm);
    const room = await channel(db, org.realm);
    await db.transaction(async (tx) => {
      await tx.rows("UPDATE channels SET folder_id = $2 WHERE id = $1", [room.id, id]);
      expect((await change(0, id, { is_archived: true })).status).to.equal(200);
      const name = unique("room");
      const params = { name, subscribers: [], folder_id: id };
      expect((await as(1).call(createChannel, { params })).status).to.equal(200);
    });
    const inside = await db.prisma.channel.count({ where: { folderId: id } });
    expect([inside, (await stored())[0]?.isArchived]).to.deep.equal([2, true]);
  });

  const losses: ReadonlyArray<[what: string, row: object, status: number, code: string]> = [
    ["their role", { role: roles.member }, 400, "UNAUTHORIZED_PRINCIPAL"],
    ["their account", { isActive: false }, 401, "UNAUTHORIZED"],
  ];
  for (const [what, row, status, code] of losses)
    it(`refuse an administrator who has lost ${what} meanwhile`, async () => {
      const by = await user(db, org.realm, { role: roles.administrator });
      const { id } = await channelFolder(db, org.realm);
      let answers: Promise<Refusable[]> | undefined;
      await db.transaction(async (tx) => {
        await lockGroupGraph(tx, org.realm.id);
        answers = Promise.all([
          create(0, unique("folder"), by),
          as(0, by).call(updateChannelFolder, {
            path: { channel_folder_id: id },
            params: { description: "new" },
          }),
          as(1, by).call(reorderChannelFolders, { params: { order: [id] } }),
        ]);
        await waitFor(async () => (await countWaiting(db.pool)) === 3, {
          what: "the requests wait for the change of the account",
        });
        await (await tx.prisma()).user.update({ where: { id: by.id }, data: row });
      });
      for (const answer of (await answers) ?? []) refusedWith(answer, code, {}, status);
      expect(await stored()).to.have.length(1);
    });
});
