import { listUserGroups } from "@carillon/contract";
import {
  countQueries,
  deactivateUser,
  newGroup,
  organization,
  refused,
  useDatabase,
  useGateway,
  user,
  userGroup,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("GET /user_groups", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const list = async (viewer: TestAccount, params = {}) =>
    (await gateway.as(viewer).succeed(listUserGroups, { params })).user_groups;

  it("lists all groups by ID with exactly the documented fields", async () => {
    const inner = await newGroup(gateway, org.owner);
    const before = Math.floor(Date.now() / 1000);
    const id = await newGroup(gateway, org.member, {
      name: "Bell ringers",
      description: "*Every* Sunday",
      members: [org.guest.id, org.bot.id],
      subgroups: [inner, org.groups["role:owners"]],
      can_join_group: { direct_members: [org.admin.id], direct_subgroups: [inner] },
    });
    const groups = await list(org.member);
    expect(groups.map((group) => group.id)).to.deep.equal([
      ...Object.values(org.groups).sort((a, b) => a - b),
      inner,
      id,
    ]);
    const { date_created, ...group } = groups.at(-1) ?? { date_created: 0 };
    expect(date_created).to.be.within(before - 5, before + 60);
    const creator = { direct_members: [org.member.id], direct_subgroups: [] };
    expect(group).to.deep.equal({
      id,
      name: "Bell ringers",
      description: "*Every* Sunday",
      creator_id: org.member.id,
      members: [org.guest.id, org.bot.id].sort((a, b) => a - b),
      direct_subgroup_ids: [org.groups["role:owners"], inner],
      is_system_group: false,
      deactivated: false,
      can_add_members_group: creator,
      can_join_group: { direct_members: [org.admin.id], direct_subgroups: [inner] },
      can_leave_group: org.groups["role:everyone"],
      can_manage_group: creator,
      can_mention_group: org.groups["role:everyone"],
      can_remove_members_group: org.groups["role:nobody"],
    });
  });

  it("excludes deactivated groups unless requested", async () => {
    const gone = await userGroup(db, org.realm, { deactivated: true });
    expect((await list(org.member)).map(({ id }) => id)).not.to.include(gone.id);
    expect(
      (await list(org.member, { include_deactivated_groups: false })).map(({ id }) => id),
    ).not.to.include(gone.id);
    const all = await list(org.member, { include_deactivated_groups: true });
    expect(all.at(-1)).to.include({ id: gone.id, deactivated: true });
  });

  it("excludes deactivated accounts from members and settings", async () => {
    const gone = await user(db, org.realm);
    const value = { direct_members: [gone.id, org.member.id], direct_subgroups: [] };
    const id = await newGroup(gateway, org.owner, {
      members: [gone.id, org.member.id],
      can_manage_group: value,
      can_join_group: { direct_members: [gone.id], direct_subgroups: [] },
    });
    await deactivateUser(db, gone);
    expect((await list(org.owner)).find((group) => group.id === id)).to.deep.include({
      members: [org.member.id],
      can_manage_group: { direct_members: [org.member.id], direct_subgroups: [] },
      can_join_group: { direct_members: [], direct_subgroups: [] },
    });
  });

  it("returns the same to all accounts but guests, including bots", async () => {
    await newGroup(gateway, org.member, { members: [org.member.id] });
    const expected = await list(org.owner);
    for (const viewer of [org.admin, org.moderator, org.member, org.bot])
      expect(await list(viewer)).to.deep.equal(expected);
    await refused(db, () => gateway.as(org.guest).call(listUserGroups));
  });

  it("hides groups of other organizations", async () => {
    const other = await organization(db);
    const id = await newGroup(gateway, other.member);
    expect((await list(org.owner)).map((group) => group.id)).not.to.include(id);
  });

  it("accepts only true and false as booleans", async () => {
    for (const include_deactivated_groups of ["yes", "1", "True", "", "null", '"true"']) {
      const params = { include_deactivated_groups };
      await refused(db, () => gateway.as(org.member).call(listUserGroups, { params }));
    }
    const { body } = await gateway.as(org.member).get("/api/v1/user_groups", { group: 1 });
    expect(body.ignored_parameters_unsupported).to.deep.equal(["group"]);
  });

  it("runs the same number of statements for any number of groups", async () => {
    const statements = () => countQueries(db, () => list(org.owner));
    await statements();
    const few = await statements();
    for (let i = 0; i < 12; i++)
      await newGroup(gateway, org.member, {
        members: [org.member.id, org.guest.id],
        subgroups: [org.groups["role:moderators"]],
        can_join_group: { direct_members: [org.member.id], direct_subgroups: [] },
      });
    const many = await statements();
    expect(many.result).to.have.length(20);
    expect(many.count, many.statements.join("\n")).to.equal(few.count);
  });
});
