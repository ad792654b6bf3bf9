import { listProfileFields, updateProfileField } from "@carillon/contract";
import {
  announced,
  countQueries,
  crowd,
  eventsOf,
  organization,
  type Params,
  profileField,
  refused,
  type TestAccount,
  unique,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const choice = (text: string) => ({ text, order: "1" });

describe("PATCH /realm/profile_fields/{field_id}", () => {
  const scene = useScene();
  const change = (id: number, params: Params, by: TestAccount = scene.org.admin) =>
    scene.as(by).call(updateProfileField, { path: { field_id: id }, params });
  const all = async (by: TestAccount = scene.org.guest) =>
    (await scene.as(by).succeed(listProfileFields)).custom_fields;
  const changed = async (id: number, params: Params) => {
    const { result, events } = await eventsOf(scene.db, scene.org.realm.id, () =>
      change(id, params),
    );
    expect(result.body, result.body.msg).to.deep.equal({ result: "success", msg: "" });
    const field = (await all()).find((each) => each.id === id);
    return { field, events: announced(events) };
  };
  const refuses = async (id: number, params: Params, code = "BAD_REQUEST", by?: TestAccount) =>
    (await refused(scene.db, () => change(id, params, by), code)).msg;
  const field = (row = {}) => profileField(scene.db, scene.org.realm, row);
  const dropdown = (...keys: string[]) =>
    field({
      fieldType: 3,
      fieldData: JSON.stringify(Object.fromEntries(keys.map((key) => [key, choice(key)]))),
    });
  const say = (userId: number, fieldId: number, value: string) =>
    scene.db.prisma.customProfileFieldValue.create({ data: { userId, fieldId, value } });
  const said = async (fieldId: number) => {
    const rows = await scene.db.prisma.customProfileFieldValue.findMany({ where: { fieldId } });
    return rows.map(({ value }) => value).toSorted();
  };

  it("refuses a new name with an invisible character and keeps an existing one", async () => {
    const old = await field({ name: unique("ol\u200bd") });
    expect((await changed(old.id, { hint: "kept" })).field).to.include({ hint: "kept" });
    await changed(old.id, { name: old.name, hint: "again" });
    expect(await refuses(old.id, { name: "n\u202dew" })).to.contain("U+202D");
  });

  it("changes the given properties and sends all fields to all accounts", async () => {
    const { id } = await field({ hint: "old", required: true });
    const name = unique("new");
    const first = await changed(id, { name: ` ${name} `, editable_by_user: false });
    expect(first.field).to.include({ name, hint: "old", required: true, editable_by_user: false });
    expect(first.events).to.deep.equal([
      { type: "custom_profile_fields", op: null, audience: null, payload: { fields: await all() } },
    ]);
    const audit = await scene.db.prisma.auditLog.findFirstOrThrow({ orderBy: { id: "desc" } });
    expect(audit.eventType).to.equal("profile_field_changed");
    expect(audit.extraData).to.include({ profile_field_id: id });

    const flags = { display_in_profile_summary: true, use_for_user_matching: true };
    const second = await changed(id, { hint: "", required: false, ...flags });
    expect(second.field).to.include({ name, hint: "", required: false, ...flags });
    const third = await changed(id, { display_in_profile_summary: false });
    expect(third.field).not.to.have.property("display_in_profile_summary");
  });

  it("writes nothing and sends no event if nothing changes", async () => {
    const { id, name } = await dropdown("a", "b");
    const row = () =>
      scene.db.rows("SELECT xmin::text FROM custom_profile_fields WHERE id = $1", [id]);
    const before = await row();
    const same = { name, hint: "", field_data: { a: choice("a"), b: choice("b") } };
    for (const params of [{}, same, { required: false }, { field_type: 4 }])
      expect(
        (await eventsOf(scene.db, scene.org.realm.id, () => change(id, params))).events,
      ).to.deep.equal([]);
    expect(await row()).to.deep.equal(before);
    const { body } = await change(id, { field_type: 4 });
    expect(body.ignored_parameters_unsupported).to.deep.equal(["field_type"]);
  });

  it("deletes the values of removed choices only, without an event for each", async () => {
    const { org } = scene;
    const { id } = await dropdown("a", "b", "__proto__");
    const other = await dropdown("a");
    for (const [account, value] of [
      [org.member, "a"],
      [org.guest, "b"],
      [org.admin, "__proto__"],
    ] as const)
      await say(account.id, id, value);
    await say(org.member.id, other.id, "a");
    const { events } = await changed(id, {
      field_data: { b: choice("called otherwise"), c: choice("c") },
    });
    expect(events.map(({ type }) => type)).to.deep.equal(["custom_profile_fields"]);
    expect(await said(id)).to.deep.equal(["b"]);
    expect(await said(other.id)).to.deep.equal(["a"]);
    await changed(id, { field_data: { a: choice("a"), b: choice("b") } });
    expect(await said(id)).to.deep.equal(["b"]);
  });

  it("runs the same number of statements for any number of people with a removed choice", async () => {
    const { db, org } = scene;
    const people = await crowd(db, org.member, 300);
    const count = async (fieldId: number) => {
      const { count: queries } = await countQueries(db, () =>
        change(fieldId, { field_data: { b: choice("b") } }),
      );
      return queries;
    };
    const few = await dropdown("a", "b");
    await say(org.member.id, few.id, "a");
    const many = await dropdown("a", "b");
    await db.prisma.customProfileFieldValue.createMany({
      data: people.map(({ id: userId }, i) => ({
        userId,
        fieldId: many.id,
        value: i < 200 ? "a" : "b",
      })),
    });
    expect(await count(few.id)).to.equal(await count(many.id));
    expect(await said(many.id)).to.deep.equal(Array<string>(100).fill("b"));
  });

  describe("of a listed site", () => {
    const github = async () => {
      await scene.db.prisma.customProfileField.deleteMany({ where: { name: "GitHub username" } });
      return field({ fieldType: 7, name: "GitHub username", fieldData: '{"subtype":"github"}' });
    };

    it("changes flags only, and accepts unchanged other properties", async () => {
      const { id, name } = await github();
      const same = { name, hint: "", field_data: { subtype: "github" } };
      const after = await changed(id, { ...same, required: true, use_for_user_matching: true });
      expect(after.field).to.include({
        ...same,
        field_data: '{"subtype":"github"}',
        required: true,
      });
      for (const params of [
        { name: "Other" },
        { hint: "why" },
        { field_data: { subtype: "gitlab" } },
        { field_data: { subtype: "custom" } },
        { field_data: { subtype: "github", url_pattern: "https://x.test/%(username)s" } },
        { field_data: {} },
      ])
        expect(await refuses(id, { required: false, ...params })).to.include("GitHub");
    });

    it("turns a custom external account into a listed one by its subtype", async () => {
      await scene.db.prisma.customProfileField.deleteMany({ where: { name: "GitHub username" } });
      const { id } = await field({ fieldType: 7, hint: "mine", fieldData: '{"subtype":"custom"}' });
      const after = await changed(id, { field_data: { subtype: "github" } });
      expect(after.field).to.include({ name: "GitHub username", hint: "" });
      const other = await field({ fieldType: 7, fieldData: '{"subtype":"custom"}' });
      const msg = await refuses(other.id, { field_data: { subtype: "github" } });
      expect(msg).to.include("already");
    });
  });

  describe("refuses", () => {
    it("all callers but administrators", async () => {
      const { id } = await field();
      const { moderator, member, guest, bot } = scene.org;
      for (const by of [moderator, member, guest, bot])
        await refuses(id, { name: "x" }, "UNAUTHORIZED_PRINCIPAL", by);
    });

    it("unknown fields and fields of another organization with the same error", async () => {
      const there = await profileField(scene.db, (await organization(scene.db)).realm);
      const words = new Set<string | undefined>();
      for (const id of [there.id, 0, 2_147_483_647, 10 ** 15])
        words.add(await refuses(id, { name: "x" }));
      expect([...words]).to.have.length(1);
    });

    it("properties that are invalid for new fields", async () => {
      const { id } = await field();
      const taken = await field();
      for (const params of [
        { name: " " },
        { name: "x".repeat(41) },
        { name: taken.name },
        { hint: "x".repeat(81) },
        { required: "yes" },
        { field_data: "[]" },
      ])
        await refuses(id, { editable_by_user: false, ...params });
      const users = await field({ fieldType: 6 });
      await refuses(users.id, { display_in_profile_summary: true });
      await refuses(users.id, { use_for_user_matching: true });
      const choices = await dropdown("a");
      for (const field_data of [{}, { a: choice("x"), b: choice("x") }, { a: {} }])
        await refuses(choices.id, { field_data });
    });

    it("a third field in the summary, but keeps an existing one", async () => {
      const { db } = scene;
      const there = await organization(db);
      const inSummary = () => profileField(db, there.realm, { displayInProfileSummary: true });
      const first = await inSummary();
      await inSummary();
      const third = await profileField(db, there.realm);
      await refuses(third.id, { display_in_profile_summary: true }, undefined, there.admin);
      const kept = await change(
        first.id,
        { display_in_profile_summary: true, required: true },
        there.admin,
      );
      expect(kept.status).to.equal(200);
    });
  });
});
