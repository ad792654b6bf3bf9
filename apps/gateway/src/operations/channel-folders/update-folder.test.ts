import { updateChannelFolder } from "@carillon/contract";
import {
  announced,
  channel,
  channelFolder,
  changesOf,
  eventsOf,
  organization,
  type Params,
  refused,
  type TestAccount,
  unique,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("PATCH /channel_folders/{channel_folder_id}", () => {
  const scene = useScene();
  let id: number;
  let name: string;
  beforeEach(async () => {
    ({ id, name } = await channelFolder(scene.db, scene.org.realm, { description: "Ring" }));
  });

  const change = (params: Params, by: TestAccount = scene.org.admin, folder = id) =>
    scene.as(by).call(updateChannelFolder, { path: { channel_folder_id: folder }, params });
  /** @returns the row and the events */
  const changed = async (params: Params, by?: TestAccount) => {
    const { events } = await eventsOf(scene.db, scene.org.realm.id, async () => {
      const { status, body } = await change(params, by);
      expect([status, body]).to.deep.equal([200, { result: "success", msg: "" }]);
    });
    const row = await scene.db.prisma.channelFolder.findUniqueOrThrow({ where: { id } });
    return { row, received: announced(events) };
  };
  const refuses = (params: Params, by?: TestAccount, code?: string, folder?: number) =>
    refused(scene.db, () => change(params, by, folder), code);
  const nothing = async (params: Params) => {
    const { result, tables } = await changesOf(scene.db, () => change(params));
    expect([result.status, tables]).to.deep.equal([200, []]);
  };

  it("refuses a new name with an invisible character and keeps an existing one", async () => {
    const old = `ol\u200bd ${name}`;
    await scene.db.prisma.channelFolder.update({ where: { id }, data: { name: old } });
    expect((await changed({ name: old, description: "kept" })).row.name).to.equal(old);
    expect((await refuses({ name: "n\u202dew" })).msg).to.contain("U+202D");
  });

  it("changes name, description and archived state with one event for all accounts", async () => {
    const wanted = { name: unique("Ropes"), description: "Pull\n*hard*", is_archived: true };
    const { row, received } = await changed(
      { ...wanted, name: ` ${wanted.name} ` },
      scene.org.owner,
    );
    expect(row).to.include({ name: wanted.name, description: "Pull\n*hard*", isArchived: true });
    const data = { ...wanted, rendered_description: row.renderedDescription };
    expect(received).to.deep.equal([
      {
        type: "channel_folder",
        op: "update",
        audience: null,
        payload: { channel_folder_id: id, data },
      },
    ]);
    expect(row.renderedDescription).to.equal("<p>Pull<br>\n<em>hard</em></p>");
  });

  it("includes changed properties only in the event", async () => {
    const data = async (params: Params) => {
      const { received } = await changed(params);
      expect(received).to.have.length(1);
      return received[0]?.payload["data"];
    };
    const other = unique("Bells");
    expect(await data({ name: other, description: "Ring" })).to.deep.equal({ name: other });
    expect(await data({ name: other, description: "" })).to.deep.equal({
      description: "",
      rendered_description: "",
    });
    expect(await data({ is_archived: true })).to.deep.equal({ is_archived: true });
    expect(await data({ is_archived: false })).to.deep.equal({ is_archived: false });
  });

  it("does nothing if nothing is different", async () => {
    await nothing({});
    await nothing({ name, description: "Ring", is_archived: false });
    await nothing({ name: ` ${name} ` });
    await changed({ is_archived: true });
    await nothing({ is_archived: true });
  });

  it("accepts another case of its own name", async () => {
    const upper = name.toUpperCase();
    expect((await changed({ name: upper })).row.name).to.equal(upper);
  });

  it("writes an audit entry with the changed properties", async () => {
    const { db, org } = scene;
    const audits = await db.prisma.auditLog.count();
    await changed({ name: `${name} too`, description: "Pull", is_archived: true });
    await changed({ is_archived: false }, org.owner);
    const rows = await db.prisma.auditLog.findMany({ orderBy: { id: "asc" }, skip: audits });
    const of = { channel_folder_id: id };
    expect(
      rows.map(({ actingUserId, eventType, extraData }) => [actingUserId, eventType, extraData]),
    ).to.deep.equal([
      [org.admin.id, "channel_folder_renamed", { ...of, old: name, new: `${name} too` }],
      [org.admin.id, "channel_folder_description_changed", { ...of, old: "Ring", new: "Pull" }],
      [org.admin.id, "channel_folder_archived", of],
      [org.owner.id, "channel_folder_unarchived", of],
    ]);
  });

  it("changes archived folders too", async () => {
    await changed({ is_archived: true });
    const other = unique("Attic");
    expect((await changed({ name: other })).row).to.include({ name: other, isArchived: true });
  });

  describe("refuses", () => {
    it("all callers but administrators, whatever the parameters", async () => {
      const { moderator, member, guest, bot } = scene.org;
      for (const by of [moderator, member, guest, bot]) {
        await refuses({ name: "x" }, by, "UNAUTHORIZED_PRINCIPAL");
        await refuses({ is_archived: "perhaps" }, by, "UNAUTHORIZED_PRINCIPAL", 0);
      }
    });

    it("folders that are unknown or of another organization", async () => {
      const there = await channelFolder(scene.db, (await organization(scene.db)).realm);
      const messages = new Set<unknown>();
      for (const unknown of [there.id, 0, 2_000_000_000, 10 ** 15])
        for (const params of [{ name: "x" }, {}])
          messages.add((await refuses(params, undefined, "BAD_REQUEST", unknown)).msg);
      expect([...messages]).to.have.length(1);
    });

    it("unusable names and names in use", async () => {
      const { db, org } = scene;
      const open = await channelFolder(db, org.realm);
      const archived = await channelFolder(db, org.realm, { isArchived: true });
      for (const bad of [" ", "a\u0007", "x".repeat(61)]) await refuses({ name: bad });
      for (const taken of [open.name.toUpperCase(), archived.name])
        expect((await refuses({ name: taken, description: "new" })).msg).to.contain("already");
    });

    it("descriptions that are too long", async () => {
      await refuses({ name: "fine", description: "x".repeat(1_025) });
      expect(
        (await refuses({ description: "x".repeat(1_025) }, undefined, undefined, 0)).msg,
      ).to.contain("description");
    });

    it("to archive a folder that contains a channel, also an archived one", async () => {
      const { db, org } = scene;
      const room = await channel(db, org.realm, {
        inviteOnly: true,
        isArchived: true,
        folderId: id,
      });
      const other = unique("Cellar");
      expect((await refuses({ name: other, is_archived: true })).msg).to.contain("channels in it");
      await changed({ name: other });
      await db.prisma.channel.update({ where: { id: room.id }, data: { folderId: null } });
      expect((await changed({ is_archived: true })).row.isArchived).to.equal(true);
    });

    it("nothing if the folder is archived already, whatever it contains", async () => {
      const { db, org } = scene;
      await changed({ is_archived: true });
      await channel(db, org.realm, { folderId: id });
      await nothing({ is_archived: true });
      expect((await changed({ is_archived: false })).row.isArchived).to.equal(false);
      await refuses({ is_archived: true });
    });

    it("with the first error in the documented order", async () => {
      await channel(scene.db, scene.org.realm, { folderId: id });
      const message = async (params: Params, folder?: number) =>
        (await refuses(params, undefined, undefined, folder)).msg;
      const all = { name: " ", description: "x".repeat(1_025), is_archived: true };
      expect(await message(all, 0)).to.contain("description");
      expect(await message({ ...all, description: "" }, 0)).to.contain("no such");
      expect(await message({ ...all, description: "" })).to.contain("blank");
      expect(await message({ ...all, description: "", name })).to.contain("channels in it");
    });
  });
});
