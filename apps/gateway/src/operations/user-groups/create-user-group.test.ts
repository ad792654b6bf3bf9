import { createUserGroup } from "@carillon/contract";
import {
  changeOrganization,
  eventsOf,
  organization,
  type Params,
  readGroup,
  refused,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /user_groups/create", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const given = { name: "Bells", description: "", members: [] };
  const create = (params: Params, by: TestAccount = org.member) =>
    gateway.as(by).call(createUserGroup, { params: { ...given, ...params } });
  const created = async (params: Params = {}, by: TestAccount = org.member) => {
    const { body } = await create(params, by);
    expect(body, body.msg).to.have.all.keys("result", "msg", "group_id");
    return readGroup(gateway, org.owner, body.group_id);
  };
  const refuses = (
    params: Params,
    by: TestAccount = org.member,
    { code, ...fields }: { code?: string; [field: string]: unknown } = {},
  ) => refused(db, () => create(params, by), code, fields);

  it("creates a group without the creator and with default permissions", async () => {
    const { groups } = org;
    const creator = { direct_members: [org.member.id], direct_subgroups: [] };
    expect(await created({ name: " Bells ", members: [org.guest.id] })).to.deep.include({
      name: " Bells ",
      description: "",
      creator_id: org.member.id,
      members: [org.guest.id],
      direct_subgroup_ids: [],
      is_system_group: false,
      deactivated: false,
      can_add_members_group: creator,
      can_join_group: groups["role:nobody"],
      can_leave_group: groups["role:everyone"],
      can_manage_group: creator,
      can_mention_group: groups["role:everyone"],
      can_remove_members_group: groups["role:nobody"],
    });
  });

  it("accepts members and subgroups of every kind, once each", async () => {
    const inner = await userGroup(db, org.realm);
    const members = [org.guest.id, org.bot.id, org.owner.id, org.guest.id];
    const subgroups = [inner.id, org.groups["role:moderators"], inner.id];
    expect(await created({ members, subgroups })).to.deep.include({
      members: [org.owner.id, org.guest.id, org.bot.id],
      direct_subgroup_ids: [org.groups["role:moderators"], inner.id],
    });
  });

  it("accepts permissions and simplifies their values", async () => {
    const { groups } = org;
    const value = { direct_members: [org.guest.id, org.bot.id], direct_subgroups: [] };
    expect(
      await created({
        can_add_members_group: groups["role:moderators"],
        can_join_group: { direct_members: [], direct_subgroups: [groups["role:members"]] },
        can_manage_group: value,
        can_leave_group: { direct_members: [], direct_subgroups: [] },
      }),
    ).to.deep.include({
      can_add_members_group: groups["role:moderators"],
      can_join_group: groups["role:members"],
      can_manage_group: { ...value, direct_members: [org.guest.id, org.bot.id] },
      can_leave_group: groups["role:nobody"],
    });
  });

  it("sends the group, then its subgroups, to all accounts, and sends no messages", async () => {
    const subgroups = [org.groups["role:owners"]];
    const jobs = await db.prisma.jobIntent.count();
    const { result, events } = await eventsOf(db, org.realm.id, () =>
      created({ members: [org.guest.id], subgroups }),
    );
    expect(
      events.map(({ type, op, audience, payload }) => [type, op, audience, payload]),
    ).to.deep.equal([
      ["user_group", "add", null, { group: { ...result, direct_subgroup_ids: [] } }],
      [
        "user_group",
        "add_subgroups",
        null,
        { group_id: result.id, direct_subgroup_ids: subgroups },
      ],
    ]);
    expect(await db.prisma.jobIntent.count()).to.equal(jobs);
    const alone = await eventsOf(db, org.realm.id, () => created({ name: "alone" }));
    expect(alone.events.map(({ op }) => op)).to.deep.equal(["add"]);
  });

  it("writes an audit entry with the creator and the members", async () => {
    const from = await db.prisma.auditLog.count();
    const { id } = await created({
      members: [org.guest.id],
      subgroups: [org.groups["role:owners"]],
    });
    const rows = await db.prisma.auditLog.findMany({ orderBy: { id: "asc" }, skip: from });
    expect(
      rows.map((row) => [row.eventType, row.actingUserId, row.modifiedUserId, row.extraData]),
    ).to.deep.equal([
      ["user_group_created", org.member.id, null, { group_id: id }],
      ["user_group_member_added", org.member.id, org.guest.id, { group_id: id }],
      [
        "user_group_subgroup_added",
        org.member.id,
        null,
        { group_id: id, subgroup_id: org.groups["role:owners"] },
      ],
    ]);
  });

  describe("refuses", () => {
    for (const name of ["name", "description", "members"]) {
      it(`a request without ${name}`, () =>
        refuses({ [name]: undefined }, org.member, {
          code: "REQUEST_VARIABLE_MISSING",
          var_name: name,
        }));
    }

    it("guests, whatever permissions they hold", async () => {
      await changeOrganization(db, org.realm, { canCreateGroupsId: org.groups["role:everyone"] });
      await refuses({}, org.guest);
    });

    it("callers without the permission to create groups, whatever their role", async () => {
      const makers = await userGroup(db, org.realm, { members: [org.bot] });
      await changeOrganization(db, org.realm, { canCreateGroupsId: makers.id });
      for (const by of [org.owner, org.admin, org.moderator, org.member]) await refuses({}, by);
      expect(await created({}, org.bot)).to.include({ creator_id: org.bot.id });
    });

    it("members and subgroups that are unknown, deactivated or of another organization", async () => {
      const there = await organization(db);
      const [gone, foreign] = [
        await user(db, org.realm, { isActive: false }),
        await userGroup(db, there.realm),
      ];
      const goneGroup = await userGroup(db, org.realm, { deactivated: true });
      for (const id of [0, 2_000_000_000, 99_999_999_999_999, gone.id, there.member.id])
        await refuses({ members: [org.member.id, id] });
      for (const id of [0, 2_000_000_000, goneGroup.id, foreign.id])
        await refuses({ subgroups: [org.groups["role:owners"], id] });
    });

    it("unusable names and names in use", async () => {
      const [other, gone] = [
        await userGroup(db, org.realm),
        await userGroup(db, org.realm, { deactivated: true }),
      ];
      for (const name of [" ", "x".repeat(101), "@x", "role:x", "user:x", "stream:x", "channel:x"])
        await refuses({ name });
      for (const name of [other.name, gone.name, "role:nobody"]) await refuses({ name });
      expect(await created({ name: other.name.toUpperCase() })).to.include({
        name: other.name.toUpperCase(),
      });
    });

    it("invalid permissions of a group, and the update form of permissions", async () => {
      const { groups } = org;
      await refuses({ can_manage_group: groups["role:everyone"] });
      await refuses({ can_mention_group: groups["role:owners"] });
      await refuses({ can_leave_group: groups["role:internet"] });
      await refuses({ can_join_group: { new: groups["role:members"] } });
      await refuses({ can_join_group: { direct_members: [] } });
      await refuses({ can_join_group: '"role:members"' });
    });

    for (const [name, value] of [
      ["members", "7"],
      ["members", '["7"]'],
      ["members", "[true]"],
      ["members", ""],
      ["subgroups", "{}"],
      ["subgroups", "[1.0]"],
    ] as const) {
      it(`${name} = ${value || "nothing"}`, async () => {
        expect((await refuses({ [name]: value })).msg).to.include(name);
      });
    }

    it("with the first error in the documented order", async () => {
      const unable = await userGroup(db, org.realm);
      const all: Params = {
        name: "@x",
        members: [2_000_000_000],
        can_join_group: org.groups["role:everyone"],
        subgroups: [2_000_000_000],
      };
      const message = async (params: Params) => (await refuses(params)).msg;
      expect(await message(all)).to.include("active user");
      expect(await message({ ...all, members: [] })).to.include("begin with @");
      expect(await message({ ...all, members: [], name: unable.name })).to.include(
        "can_join_group",
      );
      const fine = { ...all, members: [], name: unable.name, can_join_group: undefined };
      expect(await message(fine)).to.include("already a user group");
      expect(await message({ ...fine, name: "free" })).to.include("no such user group");
      await changeOrganization(db, org.realm, { canCreateGroupsId: unable.id });
      expect(await message(all)).to.include("may not create");
    });
  });
});
