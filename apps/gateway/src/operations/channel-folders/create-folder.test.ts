import { createChannelFolder, listChannelFolders, maxChannelFolders } from "@carillon/contract";
import {
  announced,
  channelFolder,
  eventsOf,
  organization,
  type Params,
  refused,
  type TestAccount,
  unique,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /channel_folders/create", () => {
  const scene = useScene();
  const create = (params: Params, by: TestAccount = scene.org.admin) =>
    scene.as(by).call(createChannelFolder, {
      params: { name: unique("Folder"), description: "", ...params },
    });
  const all = async () => {
    const params = { include_archived: true };
    return (await scene.as(scene.org.guest).succeed(listChannelFolders, { params }))
      .channel_folders;
  };
  const created = async (params: Params = {}, by?: TestAccount) => {
    const { status, body } = await create(params, by);
    expect(status, body.msg).to.equal(200);
    expect(body).to.have.all.keys("result", "msg", "channel_folder_id");
    return (await all()).find(({ id }) => id === body.channel_folder_id);
  };
  const refuses = (params: Params, by?: TestAccount, code?: string, fields = {}) =>
    refused(scene.db, () => create(params, by), code, fields);

  it("refuses a name with an invisible character", async () => {
    expect((await refuses({ name: "Kit\u200bchen" })).msg).to.contain("U+200B");
  });

  it("creates a folder at the end of the order", async () => {
    const { db, org } = scene;
    const before = await channelFolder(db, org.realm, { order: 0 });
    const folder = await created({ name: "Kitchen", description: "Who *cooks*" }, org.owner);
    expect(folder).to.deep.include({
      name: "Kitchen",
      description: "Who *cooks*",
      rendered_description: "<p>Who <em>cooks</em></p>",
      creator_id: org.owner.id,
      is_archived: false,
    });
    expect(folder?.order).to.equal(folder?.id);
    const later = await created();
    expect((await all()).map(({ id }) => id)).to.deep.equal([before.id, folder?.id, later?.id]);
  });

  it("stores names and descriptions as text", async () => {
    const name = "<b>**Kitchen**</b> & @**all** 🍲";
    const description = "<img src=x>\nand more";
    const folder = await created({ name, description });
    expect(folder).to.include({ name, description });
    expect(folder?.rendered_description).to.equal("<p>&lt;img src=x&gt;<br>\nand more</p>");
    expect(await created({ name: "  in the middle \n" })).to.include({ name: "in the middle" });
    expect(await created({ description: "" })).to.include({ rendered_description: "" });
  });

  it("counts code points", async () => {
    const [name, description] = ["🍲".repeat(60), "🍲".repeat(1_024)];
    expect(await created({ name, description })).to.include({ name, description });
    await refuses({ name: "🍲".repeat(61) });
    await refuses({ description: "🍲".repeat(1_025) });
  });

  it("sends an event to all accounts and writes an audit entry", async () => {
    const { db, org } = scene;
    const audits = await db.prisma.auditLog.count();
    const { result, events } = await eventsOf(db, org.realm.id, () => created({}, org.admin));
    expect(announced(events)).to.deep.equal([
      { type: "channel_folder", op: "add", audience: null, payload: { channel_folder: result } },
    ]);
    const [row, ...more] = await db.prisma.auditLog.findMany({
      orderBy: { id: "asc" },
      skip: audits,
    });
    expect(more).to.deep.equal([]);
    expect(row).to.deep.include({
      realmId: org.realm.id,
      actingUserId: org.admin.id,
      eventType: "channel_folder_created",
      extraData: { channel_folder_id: result?.id },
    });
  });

  describe("refuses", () => {
    it("all callers but administrators, whatever the parameters", async () => {
      const { moderator, member, guest, bot } = scene.org;
      for (const by of [moderator, member, guest, bot]) {
        await refuses({}, by, "UNAUTHORIZED_PRINCIPAL");
        await refuses({ name: undefined }, by, "UNAUTHORIZED_PRINCIPAL");
      }
    });

    for (const name of ["name", "description"])
      it(`a request without ${name}`, () =>
        refuses({ [name]: undefined }, undefined, "REQUEST_VARIABLE_MISSING", { var_name: name }));

    it("blank and unprintable names", async () => {
      for (const name of [
        "",
        " ",
        "\u00a0\n",
        "a\u0007b",
        "a\nb",
        "a\u0085b",
        "a\ufffeb",
        "a\u{1fffe}",
      ])
        await refuses({ name });
      await refuses({ name: "a\u0000b" });
    });

    it("names in use, in any case, including those of archived folders", async () => {
      const { db, org } = scene;
      const other = await channelFolder(db, (await organization(db)).realm);
      const open = await channelFolder(db, org.realm, { name: "Ärger & 50%_" });
      const archived = await channelFolder(db, org.realm, { isArchived: true });
      for (const { name } of [open, archived])
        for (const taken of [name, name.toUpperCase(), ` ${name.toLowerCase()} `])
          expect((await refuses({ name: taken })).msg).to.contain("already");
      expect(await created({ name: "Ärger & 50__" })).to.include({ name: "Ärger & 50__" });
      expect(await created({ name: other.name })).to.include({ name: other.name });
    });

    it("with the first error in the documented order", async () => {
      const { name } = await channelFolder(scene.db, scene.org.realm);
      const long = "x".repeat(1_025);
      const message = async (params: Params) => (await refuses(params)).msg;
      expect(await message({ name: " ", description: long })).to.contain("description");
      expect(await message({ name: `${name}\u0007` })).to.contain("printable");
    });

    it("a folder above the organization's limit, which counts archived folders", async () => {
      const { db, gateway } = scene;
      const there = await organization(db);
      const fill = (count: number) =>
        db.rows(
          `INSERT INTO channel_folders (realm_id, name, is_archived)
           SELECT $1, gen_random_uuid(), n % 2 = 0 FROM generate_series(1, $2) AS n`,
          [there.realm.id, count],
        );
      await fill(maxChannelFolders - 1);
      const params = { name: "the last", description: "" };
      const ask = (name: string) =>
        gateway.as(there.admin).call(createChannelFolder, { params: { ...params, name } });
      expect((await ask("the last")).status).to.equal(200);
      const { msg } = await refused(db, () => ask("one too many"));
      expect(msg).to.contain("500 channel folders");
    });
  });
});
