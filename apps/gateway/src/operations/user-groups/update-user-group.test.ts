import { updateUserGroup } from "@carillon/contract";
import {
  changeOrganization,
  countQueries,
  eventsOf,
  groupState,
  newGroup,
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

const settings = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_mention_group",
  "can_remove_members_group",
] as const;

describe("PATCH /user_groups/{user_group_id}", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let id: number;
  beforeEach(async () => {
    org = await organization(db);
    id = await newGroup(gateway, org.member, { name: "Bells", description: "Ring" });
  });

  const patch = (params: Params, by: TestAccount = org.member, group: number | string = id) =>
    gateway.as(by).call(updateUserGroup, { path: { user_group_id: group }, params });
  const patched = async (params: Params, by: TestAccount = org.member, group = id) => {
    const { status, body } = await patch(params, by, group);
    expect(status, body.msg).to.equal(200);
    expect(body).to.deep.equal({ result: "success", msg: "" });
    return readGroup(gateway, org.owner, group);
  };
  const refuses = (
    params: Params,
    by: TestAccount = org.member,
    group = id,
    { code, ...fields }: { code?: string; [field: string]: unknown } = {},
  ) => refused(db, () => patch(params, by, group), code, fields);
  const set = (direct_members: number[], direct_subgroups: number[] = []) => ({
    direct_members,
    direct_subgroups,
  });

  describe("changes", () => {
    it("name, description and every permission in one request", async () => {
      const values = Object.fromEntries(
        settings.map((name) => [name, { new: set([org.admin.id], [id]) }]),
      );
      const group = await patched({ name: " Ropes ", description: "", ...values });
      expect(group).to.include({ name: " Ropes ", description: "" });
      for (const name of settings) expect(group[name]).to.deep.equal(set([org.admin.id], [id]));
    });

    it("a description of 1024 characters", async () => {
      const description = "🙂".repeat(1_024);
      expect(await patched({ description })).to.include({ description });
    });

    it("deactivated groups, which stay deactivated", async () => {
      const gone = await userGroup(db, org.realm, { deactivated: true });
      const group = await patched(
        { name: "Old", description: "x", can_join_group: { new: org.groups["role:members"] } },
        org.owner,
        gone.id,
      );
      expect(group).to.include({
        name: "Old",
        description: "x",
        can_join_group: org.groups["role:members"],
        deactivated: true,
      });
    });

    it("and reports the path parameter and unknown fields as unsupported", async () => {
      const { body } = await patch({ group_id: id, user_group_id: id, description: "x" });
      expect(body).to.deep.equal({
        result: "success",
        msg: "",
        ignored_parameters_unsupported: ["group_id", "user_group_id"],
      });
    });

    it("properties of a group whose manage permission the caller gives up in the same request", async () => {
      const { groups } = org;
      const group = await patched({
        name: "Last",
        can_manage_group: { new: groups["role:nobody"] },
        can_mention_group: { new: groups["role:moderators"] },
        can_remove_members_group: { new: groups["role:moderators"] },
      });
      expect(group).to.include({
        name: "Last",
        can_manage_group: groups["role:nobody"],
        can_remove_members_group: groups["role:moderators"],
      });
      await refuses({ name: "Later" });
    });

    it("nothing, without events, if all values are current", async () => {
      const before = await groupState(db);
      await patched({
        name: "Bells",
        description: "Ring",
        deactivated: false,
        can_manage_group: { new: set([org.member.id]) },
        can_join_group: { new: org.groups["role:nobody"] },
      });
      expect(await groupState(db)).to.deep.equal(before);
    });
  });

  describe("names", () => {
    for (const [title, name] of [
      ["blank", " \t "],
      ["empty", ""],
      ["of more than 100 characters", "x".repeat(101)],
      ["of more than 100 characters outside the BMP", "🙂".repeat(101)],
      ["like a mention", "@all"],
      ["like a system group", "role:ringers"],
      ["like a user", "user:11"],
      ["like a channel with the legacy prefix", "stream:11"],
      ["like a channel", "channel:11"],
      ["with U+0000", "a\u0000b"],
    ] as const) {
      it(`are refused: ${title}`, () => refuses({ name, description: "not this either" }));
    }

    it("accept 100 characters, and reserved prefixes in another case", async () => {
      for (const name of ["🙂".repeat(100), "Role:ringers", "a@b", "User:11", "*", "Глокеншпиль"])
        expect(await patched({ name })).to.include({ name });
    });

    it("are unique among all groups, including deactivated and system groups", async () => {
      const [other, gone] = [
        await userGroup(db, org.realm),
        await userGroup(db, org.realm, { deactivated: true }),
      ];
      for (const name of [other.name, gone.name, "role:members"]) await refuses({ name });
    });

    it("may differ in case only, and equal names in another organization", async () => {
      await newGroup(gateway, org.member, { name: "Ropes" });
      expect(await patched({ name: "ropes" })).to.include({ name: "ropes" });
      const there = await userGroup(db, (await organization(db)).realm);
      expect(await patched({ name: there.name })).to.include({ name: there.name });
    });
  });

  describe("deactivated", () => {
    let gone: { id: number; name: string };
    beforeEach(async () => {
      gone = await userGroup(db, org.realm, {
        deactivated: true,
        members: [org.member],
        subgroups: [id],
      });
    });

    it("false reactivates a group with all its properties", async () => {
      const before = await readGroup(gateway, org.owner, gone.id);
      const after = await patched({ deactivated: false }, org.owner, gone.id);
      expect(after).to.deep.equal({ ...before, deactivated: false });
    });

    it("true has no effect on active or deactivated groups", async () => {
      expect((await patched({ deactivated: true }, org.owner, gone.id)).deactivated).to.equal(true);
      expect((await patched({ deactivated: true })).deactivated).to.equal(false);
    });

    it("false allows other fields of the request to refer to the group", async () => {
      const group = await patched(
        { name: "Back", deactivated: false, can_join_group: { new: gone.id } },
        org.owner,
        gone.id,
      );
      expect(group).to.include({ name: "Back", deactivated: false, can_join_group: gone.id });
    });

    it("remains if another field is refused", () =>
      refuses(
        { deactivated: false, can_join_group: { new: org.groups["role:everyone"] } },
        org.owner,
        gone.id,
      ));
  });

  describe("refuses", () => {
    it("guests, even if listed in the permission", async () => {
      const own = await newGroup(gateway, org.owner, {
        members: [org.guest.id],
        can_manage_group: set([org.guest.id, org.member.id]),
      });
      await refuses({ name: "mine" }, org.guest, own);
      await patched({ name: "mine" }, org.member, own);
    });

    it("unknown groups, anonymous groups and those of another organization", async () => {
      const there = await organization(db);
      const foreign = await newGroup(gateway, there.owner);
      const { canManageGroupId } = await db.prisma.namedUserGroup.findUniqueOrThrow({
        where: { id },
      });
      for (const unknown of [0, 2_000_000_000, foreign, canManageGroupId])
        await refuses({ name: "x" }, org.owner, unknown);
      for (const path of ["99999999999999999999", "000"])
        await refused(db, () => patch({ name: "x" }, org.owner, path));
    });

    it("IDs that are not digits with 404", async () => {
      for (const path of ["x", "-1", "1.5", "role:members"])
        await refused(db, () => patch({ name: "x" }, org.owner, path), "NOT_FOUND");
    });

    it("changes of system groups from every caller", async () => {
      for (const group of Object.values(org.groups)) {
        await refuses({ description: "mine" }, org.owner, group);
        await refuses({ deactivated: true }, org.owner, group);
      }
    });

    it("empty requests and requests with unsupported fields only", async () => {
      await refuses({});
      await refuses({ group_id: id, members: [org.member.id] });
      await refuses({}, org.member, 2_000_000_000);
    });

    for (const [name, value] of [
      ["deactivated", "yes"],
      ["deactivated", "null"],
      ["deactivated", ""],
      ["can_join_group", "11"],
      ["can_join_group", '"role:members"'],
      ["can_join_group", "[11]"],
      ["can_join_group", "null"],
      ["can_join_group", "{}"],
      ["can_join_group", '{"old":11}'],
      ["can_join_group", '{"direct_members":[],"direct_subgroups":[]}'],
      ["can_join_group", '{"new":null}'],
      ["can_join_group", '{"new":"11"}'],
      ["can_join_group", '{"new":[11]}'],
      ["can_join_group", '{"new":true}'],
      ["can_join_group", '{"new":11.0}'],
      ["can_join_group", '{"new":{"direct_members":[]}}'],
      ["can_join_group", '{"new":{"direct_subgroups":[]}}'],
      ["can_join_group", '{"new":{"direct_members":["1"],"direct_subgroups":[]}}'],
      ["can_join_group", '{"new":{"direct_members":[true],"direct_subgroups":[]}}'],
      ["can_join_group", '{"new":{"direct_members":[],"direct_subgroups":null}}'],
      ["can_join_group", '{"new":11,"old":null}'],
      ["can_join_group", '{"new":11,"old":"11"}'],
      ["can_join_group", "not JSON"],
    ] as const) {
      it(`${name} = ${value || "nothing"}, before the group is looked up`, async () => {
        const body = await refuses({ name: "x", [name]: value }, org.member, 2_000_000_000);
        expect(body.msg).to.include(name);
      });
    }

    for (const name of settings)
      it(`a bare value of ${name}, for a named or an anonymous group`, async () => {
        await refuses({ [name]: org.groups["role:members"] });
        await refuses({ [name]: set([org.member.id]) });
        await patched({ [name]: { new: org.groups["role:members"] } });
      });

    it("with the first error in the order of the fields, without changes", async () => {
      const { groups } = org;
      const mismatch = { new: groups["role:members"], old: groups["role:owners"] };
      const forbidden = { new: groups["role:everyone"] };
      const fine = { name: "New", description: "New" };
      await refuses({ ...fine, can_join_group: mismatch }, org.member, id, {
        code: "EXPECTATION_MISMATCH",
        field_name: "old",
      });
      await refuses({ name: "@x", can_join_group: mismatch });
      await refuses({ ...fine, can_add_members_group: forbidden, can_join_group: mismatch });
      await refuses(
        { ...fine, can_remove_members_group: forbidden, can_join_group: mismatch },
        org.member,
        id,
        { code: "EXPECTATION_MISMATCH", field_name: "old" },
      );
      await refuses({ can_join_group: mismatch }, org.admin);
    });
  });

  describe("is allowed for managers of the group", () => {
    it("by the group's or the organization's permission, never by role", async () => {
      for (const by of [org.admin, org.moderator, org.bot]) await refuses({ name: "x" }, by);
      expect(await patched({ name: "by its creator" })).to.include({ name: "by its creator" });
      expect(await patched({ name: "by an owner" }, org.owner)).to.include({ name: "by an owner" });
      await changeOrganization(db, org.realm, {
        canManageAllGroupsId: org.groups["role:moderators"],
      });
      for (const by of [org.owner, org.admin, org.moderator])
        expect(await patched({ name: by.fullName }, by)).to.include({ name: by.fullName });
    });

    it("through subgroups at any depth and anonymous groups", async () => {
      const inner = await userGroup(db, org.realm, { members: [org.moderator] });
      const outer = await userGroup(db, org.realm, { subgroups: [inner.id] });
      await patched({ can_manage_group: { new: outer.id } });
      await patched({ description: "by the moderator" }, org.moderator);
      await refuses({ description: "not" });
      await patched({ can_manage_group: { new: set([org.bot.id], [inner.id]) } }, org.moderator);
      await patched({ description: "by the bot" }, org.bot);
      await patched({ description: "by the moderator again" }, org.moderator);
      await refuses({ description: "by the administrator" }, org.admin);
    });

    it("also after it has been deactivated", async () => {
      await db.prisma.namedUserGroup.update({ where: { id }, data: { deactivated: true } });
      await refuses({ deactivated: false }, org.admin);
      expect((await patched({ deactivated: false })).deactivated).to.equal(false);
    });
  });

  describe("writes audit entries", () => {
    it("with the caller and the old and new values", async () => {
      const from = await db.prisma.auditLog.count();
      const { groups } = org;
      await db.prisma.namedUserGroup.update({ where: { id }, data: { deactivated: true } });
      await patched({
        name: "Ropes",
        description: "Pull",
        deactivated: false,
        can_join_group: { new: set([org.guest.id]) },
      });
      const rows = await db.prisma.auditLog.findMany({ orderBy: { id: "asc" }, skip: from });
      for (const row of rows)
        expect(row).to.include({ realmId: org.realm.id, actingUserId: org.member.id });
      expect(rows.map(({ eventType, extraData }) => [eventType, extraData])).to.deep.equal([
        ["user_group_renamed", { group_id: id, old: "Bells", new: "Ropes" }],
        ["user_group_description_changed", { group_id: id, old: "Ring", new: "Pull" }],
        ["user_group_reactivated", { group_id: id }],
        [
          "user_group_setting_changed",
          {
            group_id: id,
            setting: "can_join_group",
            old: groups["role:nobody"],
            new: set([org.guest.id]),
          },
        ],
      ]);
    });
  });

  it("sends each change to all accounts, in the order of the fields", async () => {
    const { events } = await eventsOf(db, org.realm.id, () =>
      patched({
        can_remove_members_group: { new: org.groups["role:members"] },
        description: "Pull",
        can_add_members_group: { new: set([org.guest.id, org.bot.id]) },
        name: "Ropes",
      }),
    );
    for (const event of events)
      expect(event).to.include({ type: "user_group", op: "update", audience: null });
    expect(events.map(({ payload }) => payload)).to.deep.equal([
      { group_id: id, data: { name: "Ropes" } },
      { group_id: id, data: { description: "Pull" } },
      {
        group_id: id,
        data: {
          can_add_members_group: set([org.guest.id, org.bot.id].sort((a, b) => a - b)),
        },
      },
      { group_id: id, data: { can_remove_members_group: org.groups["role:members"] } },
    ]);
  });

  it("runs the same number of statements for any size of groups", async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => user(db, org.realm)));
    const many = people.map((person) => person.id);
    const change = (target: number, members: number[], name: string) =>
      countQueries(db, () =>
        patched(
          {
            name,
            can_manage_group: { new: set(members), old: set([org.member.id]) },
            can_join_group: { new: set(members) },
          },
          org.member,
          target,
        ),
      );
    const large = await newGroup(gateway, org.member, {
      members: many,
      subgroups: [id, org.groups["role:members"]],
    });
    const third = await newGroup(gateway, org.member);
    await change(third, many.slice(0, 1), "warm");
    const few = await change(id, [org.guest.id], "few");
    const lots = await change(large, many, "lots");
    expect(lots.count, lots.statements.join("\n")).to.equal(few.count);
  });
});
