import { createProfileField, maxProfileFieldData, maxProfileFields } from "@carillon/contract";
import {
  organization,
  type Params,
  profileField,
  refused,
  type TestAccount,
  unique,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /realm/profile_fields refuses", () => {
  const scene = useScene();
  const create = (params: Params, by: TestAccount) =>
    scene.as(by).call(createProfileField, {
      params: { field_type: 1, name: unique("field"), ...params },
    });
  const refuses = async (
    params: Params,
    code = "BAD_REQUEST",
    by: TestAccount = scene.org.admin,
    fields?: Params,
  ) => (await refused(scene.db, () => create(params, by), code, fields)).msg;

  it("all callers but administrators, whatever the parameters", async () => {
    const { moderator, member, guest, bot } = scene.org;
    for (const by of [moderator, member, guest, bot])
      for (const params of [{}, { field_type: 9 }, { field_type: undefined }])
        await refuses(params, "UNAUTHORIZED_PRINCIPAL", by);
    const nobody = () => scene.gateway.anonymous.call(createProfileField, {});
    await refused(scene.db, nobody, "UNAUTHORIZED");
  });

  it("missing and unknown types", async () => {
    await refuses({ field_type: undefined }, "REQUEST_VARIABLE_MISSING", undefined, {
      var_name: "field_type",
    });
    for (const field_type of [0, 9, -1, '"1"', "1.0", "x", ""]) await refuses({ field_type });
  });

  it("blank and long names and hints, and names in use", async () => {
    const { name } = await profileField(scene.db, scene.org.realm);
    for (const unusable of [undefined, "", " \n", "x".repeat(41), "🍲".repeat(41), "a\u0000b"])
      await refuses({ name: unusable });
    expect(await refuses({ name: "Te\u200bam" })).to.include("U+200B");
    await refuses({ hint: "x".repeat(81) });
    await refuses({ hint: "a\u0000" });
    for (const taken of [name, ` ${name} `])
      expect(await refuses({ name: taken })).to.include("already");
    const upper = { name: name.toUpperCase() };
    expect((await create(upper, scene.org.admin)).status).to.equal(200);
    const { admin } = await organization(scene.db);
    expect((await create({ name }, admin)).status).to.equal(200);
  });

  it("user fields in the profile summary, and a third field in it", async () => {
    const { realm, admin } = await organization(scene.db);
    const summary = { display_in_profile_summary: true };
    await refuses({ field_type: 6, ...summary }, undefined, admin);
    await profileField(scene.db, realm, { displayInProfileSummary: true });
    expect((await create({ field_type: 8, ...summary }, admin)).status).to.equal(200);
    expect(await refuses(summary, undefined, admin)).to.include("Only 2");
  });

  it("use_for_user_matching for types other than short text and external account", async () => {
    for (const field_type of [2, 4, 5, 6, 8])
      await refuses({ field_type, use_for_user_matching: true });
    const field_data = { x: { text: "x", order: "1" } };
    await refuses({ field_type: 3, field_data, use_for_user_matching: true });
  });

  it("flags and configurations of another type", async () => {
    for (const value of ["1", "True", "null", '"true"', ""]) await refuses({ required: value });
    for (const field_data of ["[]", '"a"', "null", "1", "{", ""]) await refuses({ field_data });
  });

  it("dropdowns without usable choices", async () => {
    const choice = { text: "A", order: "1" };
    const unusable: unknown[] = [
      undefined,
      {},
      { a: "A" },
      { a: null },
      { a: [choice] },
      { a: { text: "A" } },
      { a: { order: "1" } },
      { a: { ...choice, more: "" } },
      '{"a":{"text":"A","order":"1","__proto__":{}}}',
      { a: { text: " ", order: "1" } },
      { a: { text: "A", order: "" } },
      { a: { text: "A", order: 1 } },
      { a: { text: 1, order: "1" } },
      { "": choice },
      { " ": choice },
      { a: choice, b: { ...choice, order: "2" } },
      { a: { text: "x".repeat(maxProfileFieldData), order: "1" } },
      '{"a":{"text":"\\ud800","order":"1"}}',
      '{"a":{"text":"a\\u0000","order":"1"}}',
    ];
    for (const field_data of unusable) await refuses({ field_type: 3, field_data });
  });

  it("external accounts with unknown sites or unusable addresses", async () => {
    const custom = { subtype: "custom" };
    const unusable: unknown[] = [
      undefined,
      {},
      { subtype: "" },
      { subtype: " " },
      { subtype: 5 },
      { subtype: "myspace" },
      { subtype: "constructor" },
      { subtype: "GitHub" },
      { ...custom, more: 1 },
      { subtype: "github", more: 1 },
      { subtype: "github", url_pattern: "nowhere" },
      { ...custom, url_pattern: 5 },
      { ...custom, url_pattern: "" },
      { ...custom, url_pattern: "https://example.com/" },
      { ...custom, url_pattern: "https://example.com/%(username)s/%(username)s" },
      { ...custom, url_pattern: "example.com/%(username)s" },
      { ...custom, url_pattern: "javascript://x/%(username)s" },
      { ...custom, url_pattern: "https://%(username)s:99999999" },
      { ...custom, url_pattern: `https://x.test/%(username)s${"y".repeat(2_048)}` },
    ];
    for (const field_data of unusable) await refuses({ field_type: 7, field_data });
  });

  it("oversized configurations", async () => {
    const large = { a: { text: "x".repeat(1_000_000), order: "1" } };
    await refuses({ field_type: 3, field_data: large });
    await refuses({ name: "x".repeat(1_000_000) });
    await refuses({ field_type: 3, field_data: "[".repeat(600_000) });
    const many = Object.fromEntries(
      Array.from({ length: 15_000 }, (_, i) => [`${i}`, { text: `${i}`, order: "1" }]),
    );
    await refuses({ field_type: 3, field_data: many });
  });

  it("a field above the organization's limit", async () => {
    const { realm, admin } = await organization(scene.db);
    for (let i = 1; i < maxProfileFields; i++) await profileField(scene.db, realm);
    expect((await create({}, admin)).status).to.equal(200);
    expect(await refuses({}, undefined, admin)).to.include("100 profile fields");
  });
});
