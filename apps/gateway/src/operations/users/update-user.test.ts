import { updateUser, updateUserByEmail } from "@carillon/contract";
import {
  announced,
  bot,
  refused,
  organization,
  personChange,
  reload,
  roles,
  useScene,
  userChanging,
  user,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("PATCH /users/{user_id}", () => {
  const scene = useScene();
  const { patch, change, refuses } = userChanging(scene);
  const { db, gateway } = scene;
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = scene.org;
    other = await organization(db);
  });

  describe("permissions", () => {
    for (const name of ["moderator", "member", "guest", "bot"] as const) {
      it(`refuses a ${name}, for others and themselves, whatever the parameters`, async () => {
        await refuses(org[name], org.member.id, { full_name: "Somebody Else" });
        await refuses(org[name], org[name].id, { full_name: "Somebody Else" });
        await refuses(org[name], org.member.id, { role: "owner" });
        await refuses(org[name], 0, {});
      });
    }

    it("lets administrators, including bots, change people, bots and deactivated accounts", async () => {
      const machine = await bot(db, org.admin, { role: roles.administrator });
      const targets = [
        await user(db, org.realm),
        await user(db, org.realm, { role: roles.owner }),
        await bot(db, org.member),
        await user(db, org.realm, { isActive: false }),
      ];
      for (const by of [org.owner, org.admin, machine])
        for (const target of targets) {
          const full_name = `${target.id} by ${by.id}`;
          const { now, events } = await change(by, target, { full_name });
          expect(now.fullName).to.equal(full_name);
          expect(announced(events)).to.deep.equal([personChange(target.id, { full_name })]);
        }
    });

    it("requires an owner for a bot that may create users", async () => {
      const powerful = await bot(db, org.member, { canCreateUsers: true });
      await refuses(org.admin, powerful.id, { full_name: "Tamed" }, "UNAUTHORIZED_PRINCIPAL");
      await change(org.owner, powerful, { full_name: "Tamed" });
    });

    it("refuses accounts of other organizations, system bots and IDs out of range as unknown", async () => {
      for (const id of [other.member.id, org.notificationBot.id, 0, 2_147_483_647])
        await refuses(org.owner, id, { full_name: "Nobody" });
      const path = "/api/v1/users/99999999999999999999";
      await refused(db, () => gateway.as(org.owner).patch(path, { full_name: "Nobody" }));
      expect((await reload(db, other.member)).fullName).to.equal(other.member.fullName);
    });

    it("requires credentials", async () => {
      const path = { user_id: org.member.id };
      await refused(db, () => gateway.anonymous.call(updateUser, { path }), "UNAUTHORIZED");
    });
  });

  describe("by e-mail address", () => {
    it("performs the same operation", async () => {
      const target = await user(db, org.realm);
      const { body } = await gateway.as(org.admin).call(updateUserByEmail, {
        path: { email: target.deliveryEmail.toUpperCase() },
        params: { full_name: "Found by Address", user_id: 3 },
      });
      expect(body).to.deep.equal({
        result: "success",
        msg: "",
        ignored_parameters_unsupported: ["user_id"],
      });
      expect((await reload(db, target)).fullName).to.equal("Found by Address");
    });

    it("finds an account by its generated address if the real one is hidden, and not by the real one", async () => {
      const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
      const by = (email: string) =>
        gateway.as(org.owner).call(updateUserByEmail, { path: { email }, params: { role: 300 } });
      await refused(db, () => by(hidden.deliveryEmail));
      await refused(db, () => by("nobody@carillon.test"));
      expect((await reload(db, hidden)).role).to.equal(400);
      expect((await by(hidden.email)).body.result).to.equal("success");
      expect((await reload(db, hidden)).role).to.equal(300);
    });

    it("refuses members", async () => {
      const asked = { path: { email: org.member.email }, params: { full_name: "Me Myself" } };
      await refused(db, () => gateway.as(org.member).call(updateUserByEmail, asked));
    });
  });

  it("applies all changes or none, checked in the order of the rules", async () => {
    const target = await user(db, org.realm);
    const whole = { role: 300, full_name: "Whole Change", new_email: "whole@carillon.test" };
    await refuses(org.owner, target.id, { ...whole, new_email: org.guest.deliveryEmail });
    await refuses(org.owner, target.id, { ...whole, full_name: "a*b" });
    await refuses(org.owner, target.id, { ...whole, profile_data: [{ id: 9, value: null }] });
    await refuses(org.admin, target.id, { new_email: "x", role: 100 });
    await refuses(org.admin, target.id, { full_name: "a*b", role: 100 }, "UNAUTHORIZED_PRINCIPAL");
    const { events, now } = await change(org.owner, target, whole);
    expect(now).to.include({ role: 300, fullName: "Whole Change", deliveryEmail: whole.new_email });
    expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "realm_user/update",
      "user_group/remove_members",
      "user_group/add_members",
      "user_group/remove_members",
      "realm_user/update",
      "realm_user/update",
      "realm_user/update",
      "realm_user/update",
    ]);
  });

  it("reports unsupported parameters", async () => {
    const { body } = await patch(org.admin, org.member.id, { user_id: 3, is_active: false });
    expect(body.ignored_parameters_unsupported).to.deep.equal(["is_active", "user_id"]);
  });
});
