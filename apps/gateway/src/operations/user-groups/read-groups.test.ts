import {
  getUserGroupMembership,
  listUserGroupMembers,
  listUserGroupSubgroups,
} from "@carillon/contract";
import {
  ascendingIds,
  deactivateUser,
  organization,
  refused,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Reading the members and subgroups of a user group", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let outer: { id: number };
  let middle: { id: number };
  let inner: { id: number };
  let gone: TestAccount;
  before(async () => {
    org = await organization(db);
    gone = await user(db, org.realm);
    inner = await userGroup(db, org.realm, { members: [org.owner, org.guest, gone] });
    middle = await userGroup(db, org.realm, { members: [org.bot], subgroups: [inner.id] });
    outer = await userGroup(db, org.realm, {
      members: [org.guest, org.admin, gone],
      subgroups: [middle.id, inner.id],
    });
    await deactivateUser(db, gone);
  });

  const members = (id: number, params = {}, by: TestAccount = org.member) =>
    gateway.as(by).call(listUserGroupMembers, { path: { user_group_id: id }, params });
  const isMember = (id: number, userId: number, params = {}, by: TestAccount = org.member) =>
    gateway.as(by).call(getUserGroupMembership, {
      path: { user_group_id: id, user_id: userId },
      params,
    });
  const subgroups = (id: number, params = {}, by: TestAccount = org.member) =>
    gateway.as(by).call(listUserGroupSubgroups, { path: { user_group_id: id }, params });

  it("lists active members of all depths once", async () => {
    expect((await members(outer.id)).body).to.deep.equal({
      result: "success",
      msg: "",
      members: ascendingIds(org.owner, org.guest, org.bot, org.admin),
    });
    expect((await members(org.groups["role:internet"])).body.members).to.deep.equal(
      ascendingIds(org.owner, org.admin, org.moderator, org.member, org.guest, org.bot),
    );
    expect((await members(org.groups["role:nobody"])).body.members).to.deep.equal([]);
  });

  it("lists direct members only on request", async () => {
    const direct = { direct_member_only: true };
    expect((await members(outer.id, direct)).body.members).to.deep.equal(
      ascendingIds(org.guest, org.admin),
    );
    expect((await members(org.groups["role:internet"], direct)).body.members).to.deep.equal([]);
  });

  it("returns whether an account is a member, at any depth or directly", async () => {
    const answer = async (id: number, account: TestAccount, params = {}) =>
      (await isMember(id, account.id, params)).body.is_user_group_member;
    const direct = { direct_member_only: true };
    expect(await answer(outer.id, org.owner)).to.equal(true);
    expect(await answer(outer.id, org.owner, direct)).to.equal(false);
    expect(await answer(outer.id, org.guest, direct)).to.equal(true);
    expect(await answer(inner.id, org.admin)).to.equal(false);
    expect(await answer(org.groups["role:internet"], org.guest)).to.equal(true);
    expect((await isMember(outer.id, org.bot.id)).body).to.deep.equal({
      result: "success",
      msg: "",
      is_user_group_member: true,
    });
  });

  it("lists subgroups of all depths or direct ones, without the group itself", async () => {
    expect((await subgroups(outer.id)).body).to.deep.equal({
      result: "success",
      msg: "",
      subgroups: [inner.id, middle.id],
    });
    expect(
      (await subgroups(middle.id, { direct_subgroup_only: true })).body.subgroups,
    ).to.deep.equal([inner.id]);
    const internet = org.groups["role:internet"];
    expect((await subgroups(internet)).body.subgroups).to.have.length(6);
    expect(
      (await subgroups(internet, { direct_subgroup_only: true })).body.subgroups,
    ).to.deep.equal([org.groups["role:everyone"]]);
    expect((await subgroups(inner.id)).body.subgroups).to.deep.equal([]);
  });

  it("allows all accounts but guests", async () => {
    for (const by of [org.owner, org.bot, org.moderator]) {
      expect((await members(inner.id, {}, by)).status).to.equal(200);
      expect((await isMember(inner.id, by.id, {}, by)).status).to.equal(200);
      expect((await subgroups(inner.id, {}, by)).status).to.equal(200);
    }
    await refused(db, () => members(inner.id, {}, org.guest));
    await refused(db, () => isMember(inner.id, org.guest.id, {}, org.guest));
    await refused(db, () => subgroups(inner.id, {}, org.guest));
  });

  it("refuses groups and accounts that are unknown, deactivated or of another organization", async () => {
    const there = await organization(db);
    const foreign = await userGroup(db, there.realm);
    const asleep = await userGroup(db, org.realm, { deactivated: true, members: [org.member] });
    for (const id of [0, 2_000_000_000, foreign.id, asleep.id]) {
      await refused(db, () => members(id));
      await refused(db, () => members(id, { direct_member_only: true }));
      await refused(db, () => isMember(id, org.member.id));
      await refused(db, () => subgroups(id));
    }
    for (const userId of [0, 2_000_000_000, gone.id, there.member.id])
      await refused(db, () => isMember(inner.id, userId));
  });

  it("refuses invalid booleans and paths that are not numbers", async () => {
    await refused(db, () => members(inner.id, { direct_member_only: 1 }));
    await refused(db, () => isMember(inner.id, org.owner.id, { direct_member_only: "yes" }));
    await refused(db, () => subgroups(inner.id, { direct_subgroup_only: "" }));
    for (const path of ["x/members", `${inner.id}/members/me`, "-1/subgroups"])
      await refused(
        db,
        () => gateway.as(org.member).get(`/api/v1/user_groups/${path}`),
        "NOT_FOUND",
      );
  });
});
