import {
  announced,
  type Params,
  eventsOf,
  profileField,
  roles,
  user,
  userChanging,
  useScene,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { getUser, updateUser } from "@carillon/contract";
import { expect } from "chai";

describe("PATCH /users/{user_id}: profile_data", () => {
  const scene = useScene();
  const { change, refuses } = userChanging(scene);
  let org: TestOrganization;
  let text: number;
  let users: number;
  before(async () => {
    org = scene.org;
    text = (await profileField(scene.db, org.realm, { editableByUser: false })).id;
    users = (await profileField(scene.db, org.realm, { fieldType: 6 })).id;
  });

  const profile = async (of: TestAccount) => {
    const params = { include_custom_profile_fields: true };
    const { user: found } = await scene
      .as(org.guest)
      .succeed(getUser, { path: { user_id: of.id }, params });
    return found.profile_data;
  };

  it("sets any field of active and deactivated accounts, with an event for each", async () => {
    for (const isActive of [true, false]) {
      const target = await user(scene.db, org.realm, { isActive });
      const data = [
        { id: users, value: [org.guest.id] },
        { id: text, value: "*x*" },
      ];
      const { events } = await eventsOf(scene.db, org.realm.id, () =>
        change(org.admin, target, { profile_data: data }),
      );
      const received = (custom_profile_field: object) => ({
        type: "realm_user",
        op: "update",
        audience: null,
        payload: { person: { user_id: target.id, custom_profile_field } },
      });
      expect(announced(events)).to.deep.equal([
        received({ id: users, value: `[${org.guest.id}]` }),
        received({ id: text, value: "*x*", rendered_value: "<p><em>x</em></p>" }),
      ]);
      expect(await profile(target)).to.deep.equal({
        [users]: { value: `[${org.guest.id}]` },
        [text]: { value: "*x*", rendered_value: "<p><em>x</em></p>" },
      });
      const audit = await scene.db.prisma.auditLog.findFirstOrThrow({ orderBy: { id: "desc" } });
      expect(audit).to.deep.include({
        actingUserId: org.admin.id,
        modifiedUserId: target.id,
        eventType: "user_profile_changed",
        extraData: { fields: [users, text] },
      });
    }
  });

  it("deletes emptied values, and writes nothing and sends no event for unchanged ones", async () => {
    const target = await user(scene.db, org.realm);
    await change(org.admin, target, { profile_data: [{ id: text, value: "x" }] });
    const again = async (value: unknown) => {
      const work = () => change(org.admin, target, { profile_data: [{ id: text, value }] });
      return (await eventsOf(scene.db, org.realm.id, work)).events.length;
    };
    expect(await again("x")).to.equal(0);
    for (const value of [null, "", []]) {
      await change(org.admin, target, { profile_data: [{ id: text, value: "y" }] });
      expect([await again(value), await again(value)]).to.deep.equal([1, 0]);
      expect(await profile(target)).to.deep.equal({});
    }
  });

  it("is applied with other changes, all or nothing", async () => {
    const target = await user(scene.db, org.realm, { role: roles.owner });
    const params = {
      role: roles.member,
      full_name: "Ringer",
      profile_data: [{ id: text, value: "x" }],
      new_email: "ringer@carillon.test",
    };
    for (const unusable of [
      { profile_data: [{ id: users, value: [org.bot.id] }] },
      { profile_data: [...params.profile_data, { id: 0, value: null }] },
      { new_email: org.member.deliveryEmail },
      { full_name: "a`b" },
    ])
      await refuses(org.owner, target.id, { ...params, ...unusable });
    await change(org.owner, target, params);
    expect(await profile(target)).to.have.nested.property(`${text}.value`, "x");
  });

  it("is checked after the role and the name, and before the address", async () => {
    const target = await user(scene.db, org.realm, { role: roles.guest });
    const message = async (params: Params) =>
      (await scene.as(org.owner).call(updateUser, { path: { user_id: target.id }, params })).body
        .msg;
    const wrong = { profile_data: [{ id: 0, value: "x" }], new_email: "no address" };
    expect(await message({ ...wrong, role: roles.administrator })).to.include("guest");
    expect(await message({ ...wrong, full_name: "a`b" })).not.to.include("field");
    expect(await message(wrong)).to.include("profile field");
  });

  it("accepts an empty list, and refuses unknown fields, also for deletions", async () => {
    await change(org.admin, org.member, { profile_data: [] });
    for (const value of ["text", null, "", [], [3]])
      await refuses(org.admin, org.member.id, {
        full_name: "Not Changed",
        profile_data: [{ id: users + 1, value }],
      });
  });

  it("refuses bots", async () => {
    for (const value of [null, "x"])
      await refuses(org.admin, org.bot.id, { profile_data: [{ id: text, value }] });
    await refuses(org.admin, org.bot.id, { profile_data: [] });
  });

  for (const value of [{}, [1], [{ id: 1 }], [{ value: "" }], [{ id: "1", value: "" }], "x"])
    it(`refuses ${JSON.stringify(value)}`, () =>
      refuses(org.owner, org.member.id, { profile_data: value }));
  it("refuses numbers as values", () =>
    refuses(org.owner, org.member.id, { profile_data: [{ id: text, value: 5 }] }));
});
