import { createProfileField, listProfileFields, register } from "@carillon/contract";
import { countQueries, organization, profileField, refused, useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("GET /realm/profile_fields", () => {
  const scene = useScene();
  const list = async (by = scene.org.guest) =>
    (await scene.as(by).succeed(listProfileFields)).custom_fields;

  it("returns all fields in order to all accounts, as the snapshot does", async () => {
    const { db, org } = scene;
    expect(await list()).to.deep.equal([]);
    const late = await profileField(db, org.realm, { order: 2, hint: "<b>?", required: true });
    const choices = '{"a":{"text":"A","order":"1"}}';
    const choice = await profileField(db, org.realm, {
      order: 1,
      fieldType: 3,
      fieldData: choices,
    });
    const twin = await profileField(db, org.realm, {
      order: 1,
      fieldType: 6,
      editableByUser: false,
    });
    const early = await profileField(db, org.realm, {
      order: 0,
      displayInProfileSummary: true,
      useForUserMatching: true,
    });
    await profileField(db, (await organization(db)).realm);
    const field = (of: { id: number; name: string }, type: number, order: number) => ({
      id: of.id,
      name: of.name,
      type,
      order,
      hint: "",
      field_data: "",
      required: false,
      editable_by_user: true,
    });
    const all = [
      { ...field(early, 1, 0), display_in_profile_summary: true, use_for_user_matching: true },
      { ...field(choice, 3, 1), field_data: choices },
      { ...field(twin, 6, 1), editable_by_user: false },
      { ...field(late, 1, 2), hint: "<b>?", required: true },
    ];
    for (const by of [org.guest, org.bot, org.owner, org.member]) {
      expect(await list(by)).to.deep.equal(all);
      const params = { fetch_event_types: ["custom_profile_fields"] };
      const snapshot = await scene.as(by).succeed(register, { params });
      expect(snapshot).to.have.property("custom_profile_fields").that.deep.equals(all);
    }
  });

  it("reports unsupported parameters and requires credentials", async () => {
    const { db, gateway, org } = scene;
    const { body } = await scene.as(org.member).get("/api/v1/realm/profile_fields", { order: 1 });
    expect(body.ignored_parameters_unsupported).to.deep.equal(["order"]);
    await refused(db, () => gateway.anonymous.call(listProfileFields), "UNAUTHORIZED");
  });

  it("runs one statement beyond those of every request", async () => {
    const { db } = scene;
    const { admin } = await organization(db);
    const count = async () => (await countQueries(db, () => list(admin))).count;
    const few = await count();
    for (const name of ["one", "two", "three"])
      await scene.as(admin).succeed(createProfileField, { params: { field_type: 1, name } });
    expect(await count()).to.equal(few);
  });
});
