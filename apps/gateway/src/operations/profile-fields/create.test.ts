import { createProfileField, listProfileFields, register } from "@carillon/contract";
import {
  announced,
  eventsOf,
  organization,
  type Params,
  profileField,
  refused,
  roles,
  type TestAccount,
  unique,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

type ExternalAccounts = Readonly<
  Record<string, { name: string; hint: string; url_pattern: string }>
>;

describe("POST /realm/profile_fields", () => {
  const scene = useScene();
  const create = (params: Params, by: TestAccount = scene.org.admin) =>
    scene.as(by).call(createProfileField, { params: { field_type: 1, ...params } });
  const all = async (by: TestAccount = scene.org.guest) =>
    (await scene.as(by).succeed(listProfileFields)).custom_fields;
  const created = async (params: Params = {}, by: TestAccount = scene.org.admin) => {
    const { status, body } = await create({ name: unique("field"), ...params }, by);
    expect(status, body.msg).to.equal(200);
    expect(body).to.have.all.keys("result", "msg", "id");
    return (await all(by)).find(({ id }) => id === body.id);
  };
  const data = async (params: Params) => (await created(params))?.field_data;

  it("creates a field of each type at the end of the order", async () => {
    const { admin } = await organization(scene.db);
    const configured: Readonly<Record<number, object>> = {
      3: { key: { text: "Text", order: "1" } },
      7: { subtype: "custom" },
    };
    for (const type of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const name = unique("field");
      const field = await created({ field_type: type, name, field_data: configured[type] }, admin);
      expect(field).to.deep.equal({
        id: field?.id,
        type,
        order: type - 1,
        name,
        hint: "",
        field_data: configured[type] ? JSON.stringify(configured[type]) : "",
        required: false,
        editable_by_user: true,
      });
    }
    expect((await all(admin)).map(({ type }) => type)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("stores names and hints as text, trims the name, and accepts all flags", async () => {
    const name = `<b>*Ärger*</b> 🍲${unique("")}`;
    const flags = {
      required: true,
      editable_by_user: false,
      display_in_profile_summary: true,
      use_for_user_matching: true,
    };
    const field = await created({ name: ` ${name}\n`, hint: " @**all** <img>", ...flags });
    expect(field).to.include({ name, hint: " @**all** <img>", ...flags });
    await scene.db.prisma.customProfileField.update({
      where: { id: field!.id },
      data: { displayInProfileSummary: false },
    });
  });

  it("counts code points", async () => {
    const [name, hint] = ["🍲".repeat(40), "🍲".repeat(80)];
    expect(await created({ name, hint })).to.include({ name, hint });
  });

  it("ignores the configuration of types without one", async () => {
    for (const type of [1, 2, 4, 5, 6, 8])
      expect(await data({ field_type: type, field_data: { any: [1] } })).to.equal("");
  });

  it("accepts any keys of choices", async () => {
    const choices = JSON.parse(
      '{"__proto__":{"text":"a","order":"1"},"constructor":{"text":"b","order":"2"},"10":{"text":"c","order":"x"}}',
    ) as object;
    const stored = await data({ field_type: 3, field_data: choices });
    expect(Object.keys(JSON.parse(stored!) as object)).to.have.members(Object.keys(choices));
  });

  it("accepts an address with a placeholder for the user name, or no address", async () => {
    const pattern = "https://example.com/%(username)s?a=%20";
    const field_data = { subtype: "custom", url_pattern: pattern };
    expect(await data({ field_type: 7, field_data })).to.equal(JSON.stringify(field_data));
    expect(await data({ field_type: 7, field_data: { subtype: "custom" } })).to.equal(
      '{"subtype":"custom"}',
    );
  });

  it("uses the name and hint of each listed site, once", async () => {
    const { admin, db } = { ...(await organization(scene.db)), db: scene.db };
    const snapshot: Params = await scene.as(admin).succeed(register, {
      params: { fetch_event_types: ["realm"] },
    });
    const accounts = Object.entries(
      snapshot["realm_default_external_accounts"] as ExternalAccounts,
    );
    expect(accounts.length).to.be.greaterThan(20);
    for (const [subtype, { name, hint }] of accounts) {
      const params = {
        field_type: 7,
        name: "x".repeat(99),
        hint: "y".repeat(99),
        field_data: { subtype, url_pattern: "https://other.example/%(username)s" },
      };
      const field = await created(params, admin);
      expect(field).to.include({ name, hint, field_data: JSON.stringify({ subtype }) });
      const again = await refused(db, () => create({ ...params, name: "other" }, admin));
      expect(again.msg).to.include("already");
    }
  });

  it("sends all fields to all accounts and writes an audit entry", async () => {
    const { db, org } = scene;
    const { result, events } = await eventsOf(db, org.realm.id, () => created({}, org.owner));
    expect(announced(events)).to.deep.equal([
      { type: "custom_profile_fields", op: null, audience: null, payload: { fields: await all() } },
    ]);
    const audit = await db.prisma.auditLog.findFirstOrThrow({ orderBy: { id: "desc" } });
    expect(audit).to.deep.include({
      realmId: org.realm.id,
      actingUserId: org.owner.id,
      eventType: "profile_field_created",
      extraData: { profile_field_id: result?.id, name: result?.name },
    });
  });

  it("allows bots with the administrator role", async () => {
    const { db, org } = scene;
    const robot = await user(db, org.realm, { isBot: true, role: roles.administrator });
    expect(await created({}, robot)).to.include({ type: 1 });
  });

  it("appends the field after gaps in the order", async () => {
    const { realm, admin } = await organization(scene.db);
    await profileField(scene.db, realm, { order: 70 });
    expect(await created({}, admin)).to.include({ order: 71 });
  });
});
