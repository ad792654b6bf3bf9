import { createChannelFolder, listChannelFolders } from "@carillon/contract";
import { channelFolder, countQueries, organization, refused, useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("GET /channel_folders", () => {
  const scene = useScene();
  const list = async (params = {}, by = scene.org.member) =>
    (await scene.as(by).succeed(listChannelFolders, { params })).channel_folders;

  let ids: { first: number; second: number; archived: number };
  before(async () => {
    const { db, org } = scene;
    expect(await list()).to.deep.equal([]);
    const there = await organization(db);
    await channelFolder(db, there.realm);
    const archived = await channelFolder(db, org.realm, { isArchived: true, order: 1 });
    const first = await channelFolder(db, org.realm, { order: 1 });
    const { channel_folder_id: second } = await scene.as(org.admin).succeed(createChannelFolder, {
      params: { name: "Second", description: "of **two**" },
    });
    ids = { first: first.id, second, archived: archived.id };
  });

  it("lists the organization's folders by order, then by ID", async () => {
    const [first, second, ...more] = await list();
    expect(more).to.deep.equal([]);
    expect(first).to.include({ id: ids.first, order: 1, is_archived: false, creator_id: null });
    const { date_created, ...rest } = second ?? {};
    expect(date_created).to.be.closeTo(Date.now() / 1_000, 600);
    expect(rest).to.deep.equal({
      id: ids.second,
      name: "Second",
      description: "of **two**",
      rendered_description: "<p>of <strong>two</strong></p>",
      order: ids.second,
      creator_id: scene.org.admin.id,
      is_archived: false,
    });
  });

  it("includes archived folders if requested", async () => {
    const idsOf = async (params = {}) => (await list(params)).map(({ id }) => id);
    const { first, second, archived } = ids;
    expect(await idsOf({ include_archived: false })).to.deep.equal([first, second]);
    expect(await idsOf({ include_archived: true })).to.deep.equal([archived, first, second]);
    const asked = { params: { include_archived: "yes" } };
    await refused(scene.db, () => scene.as(scene.org.member).call(listChannelFolders, asked));
  });

  it("allows all accounts, including guests and bots", async () => {
    const expected = await list({ include_archived: true });
    for (const by of [scene.org.owner, scene.org.guest, scene.org.bot])
      expect(await list({ include_archived: true }, by)).to.deep.equal(expected);
    await refused(
      scene.db,
      () => scene.gateway.anonymous.get("/api/v1/channel_folders"),
      "UNAUTHORIZED",
      {},
    );
  });

  it("runs the same number of statements for any number of folders", async () => {
    const count = async () => (await countQueries(scene.db, () => list())).count;
    const few = await count();
    for (let i = 0; i < 5; i++) await channelFolder(scene.db, scene.org.realm);
    expect(await count()).to.equal(few);
  });
});
