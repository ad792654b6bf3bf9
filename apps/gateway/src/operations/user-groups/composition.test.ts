import { updateUserGroupMembers, updateUserGroupSubgroups } from "@carillon/contract";
import {
  eventsOf,
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

describe("Members and subgroups of a user group", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let id: number;
  beforeEach(async () => {
    org = await organization(db);
    id = await newGroup(gateway, org.member, { members: [org.guest.id] });
  });

  const operations = { members: updateUserGroupMembers, subgroups: updateUserGroupSubgroups };
  const ask = (
    what: keyof typeof operations,
    params: Params,
    by: TestAccount = org.member,
    group = id,
  ) => gateway.as(by).call(operations[what], { path: { user_group_id: group }, params });
  const accepted = async (...request: Parameters<typeof ask>) => {
    const { body } = await ask(...request);
    expect(body, JSON.stringify(request[1])).to.deep.equal({ result: "success", msg: "" });
    return readGroup(gateway, org.owner, request[3] ?? id);
  };
  const refuses = (...request: Parameters<typeof ask>) => refused(db, () => ask(...request));
  const subgroupIds = async (group = id) =>
    (await readGroup(gateway, org.owner, group)).direct_subgroup_ids;

  describe("POST /user_groups/{id}/members", () => {
    it("adds and removes accounts of every kind and subgroups in one request", async () => {
      const [old, next] = [await userGroup(db, org.realm), await userGroup(db, org.realm)];
      await accepted("members", { add_subgroups: [old.id] });
      const group = await accepted("members", {
        add: [org.bot.id, org.owner.id, org.bot.id],
        delete: [org.guest.id],
        add_subgroups: [next.id, org.groups["role:moderators"]],
        delete_subgroups: [old.id],
      });
      expect(group).to.deep.include({
        members: [org.owner.id, org.bot.id],
        direct_subgroup_ids: [org.groups["role:moderators"], next.id],
      });
    });

    it("applies its parameters in order", async () => {
      const inner = await userGroup(db, org.realm);
      const group = await accepted("members", {
        delete_subgroups: [inner.id],
        add_subgroups: [inner.id],
        delete: [org.admin.id],
        add: [org.admin.id],
      });
      expect(group).to.deep.include({ members: [org.guest.id], direct_subgroup_ids: [] });
      await refuses("members", { add: [org.guest.id], delete: [org.guest.id] });
    });

    it("sends events to all accounts and writes audit entries for each account", async () => {
      const inner = await userGroup(db, org.realm);
      await accepted("members", { add_subgroups: [org.groups["role:owners"]] });
      const from = await db.prisma.auditLog.count();
      const { events } = await eventsOf(db, org.realm.id, () =>
        accepted("members", {
          add: [org.bot.id, org.admin.id],
          delete: [org.guest.id],
          add_subgroups: [inner.id],
          delete_subgroups: [org.groups["role:owners"]],
        }),
      );
      for (const event of events) expect(event).to.include({ type: "user_group", audience: null });
      expect(events.map(({ op, payload }) => [op, payload])).to.deep.equal([
        ["add_members", { group_id: id, user_ids: [org.admin.id, org.bot.id] }],
        ["remove_members", { group_id: id, user_ids: [org.guest.id] }],
        ["add_subgroups", { group_id: id, direct_subgroup_ids: [inner.id] }],
        ["remove_subgroups", { group_id: id, direct_subgroup_ids: [org.groups["role:owners"]] }],
      ]);
      const rows = await db.prisma.auditLog.findMany({ orderBy: { id: "asc" }, skip: from });
      expect(
        rows.map((row) => [row.eventType, row.actingUserId, row.modifiedUserId, row.extraData]),
      ).to.deep.equal([
        ["user_group_member_added", org.member.id, org.admin.id, { group_id: id }],
        ["user_group_member_added", org.member.id, org.bot.id, { group_id: id }],
        ["user_group_member_removed", org.member.id, org.guest.id, { group_id: id }],
        ["user_group_subgroup_added", org.member.id, null, { group_id: id, subgroup_id: inner.id }],
        [
          "user_group_subgroup_removed",
          org.member.id,
          null,
          { group_id: id, subgroup_id: org.groups["role:owners"] },
        ],
      ]);
    });

    it("changes deactivated groups, with events for clients that know them", async () => {
      await db.prisma.namedUserGroup.update({ where: { id }, data: { deactivated: true } });
      const { result, events } = await eventsOf(db, org.realm.id, () =>
        accepted("members", { add: [org.bot.id], add_subgroups: [org.groups["role:owners"]] }),
      );
      expect(result).to.deep.include({ members: [org.guest.id, org.bot.id], deactivated: true });
      expect(events.map(({ payload }) => payload["deactivated"])).to.deep.equal([true, true]);
    });

    it("refuses empty changes and changes without effect", async () => {
      await refuses("members", {});
      await refuses("members", { add: [], delete: [], add_subgroups: [], delete_subgroups: [] });
      await refuses("members", { add: [org.admin.id, org.guest.id] });
      await refuses("members", { add: [org.bot.id], delete: [org.admin.id] });
      await refuses("members", { add: [org.bot.id], add_subgroups: [2_000_000_000] });
    });

    it("considers direct members only", async () => {
      const inner = await userGroup(db, org.realm, { members: [org.admin] });
      await accepted("members", { add_subgroups: [inner.id] });
      await refuses("members", { delete: [org.admin.id] });
      expect((await accepted("members", { add: [org.admin.id] })).members).to.include(org.admin.id);
    });

    it("refuses accounts that are unknown, deactivated or of another organization", async () => {
      const there = await organization(db);
      const gone = await user(db, org.realm);
      await accepted("members", { add: [gone.id] });
      await db.rows("UPDATE users SET is_active = false WHERE id = $1", [gone.id]);
      for (const account of [0, -1, 2_000_000_000, 99_999_999_999_999, gone.id, there.member.id]) {
        await refuses("members", { add: [org.admin.id, account] });
        await refuses("members", { delete: [org.guest.id, account] });
      }
    });

    for (const [name, value] of [
      ["add", "7"],
      ["add", '["7"]'],
      ["delete", "[true]"],
      ["delete", "null"],
      ["add_subgroups", "[1.5]"],
      ["delete_subgroups", "[[1]]"],
    ] as const) {
      it(`refuses ${name} = ${value}`, async () => {
        const body = await refuses("members", { add: [org.bot.id], [name]: value });
        expect(body.msg).to.include(name);
      });
    }
  });

  describe("POST /user_groups/{id}/subgroups", () => {
    it("adds and removes", async () => {
      const inner = await userGroup(db, org.realm);
      await accepted("subgroups", { add: [inner.id, org.groups["role:everyone"], inner.id] });
      expect(await subgroupIds()).to.deep.equal([org.groups["role:everyone"], inner.id]);
      const { events } = await eventsOf(db, org.realm.id, () =>
        accepted("subgroups", { delete: [inner.id], add: [org.groups["role:owners"]] }),
      );
      expect(events.map(({ op, payload }) => [op, payload])).to.deep.equal([
        ["add_subgroups", { group_id: id, direct_subgroup_ids: [org.groups["role:owners"]] }],
        ["remove_subgroups", { group_id: id, direct_subgroup_ids: [inner.id] }],
      ]);
    });

    it("changes deactivated groups", async () => {
      await db.prisma.namedUserGroup.update({ where: { id }, data: { deactivated: true } });
      await accepted("subgroups", { add: [org.groups["role:owners"]] });
      await accepted("subgroups", { delete: [org.groups["role:owners"]] });
    });
  });

  for (const what of ["members", "subgroups"] as const) {
    const names =
      what === "members"
        ? { add: "add_subgroups", remove: "delete_subgroups" }
        : { add: "add", remove: "delete" };
    const adding = (...ids: number[]) => ({ [names.add]: ids });
    const removing = (...ids: number[]) => ({ [names.remove]: ids });

    describe(`subgroups, by POST /user_groups/{id}/${what}`, () => {
      it("must exist and be active, also to be removed", async () => {
        const there = await organization(db);
        const foreign = await userGroup(db, there.realm);
        const inner = await userGroup(db, org.realm);
        const { canManageGroupId: anonymous } = await db.prisma.namedUserGroup.findUniqueOrThrow({
          where: { id },
        });
        await accepted(what, adding(inner.id));
        await db.prisma.namedUserGroup.update({
          where: { id: inner.id },
          data: { deactivated: true },
        });
        const other = await userGroup(db, org.realm, { deactivated: true });
        for (const group of [0, 2_000_000_000, 99_999_999_999_999, foreign.id, anonymous, other.id])
          await refuses(what, adding(org.groups["role:owners"], group));
        for (const group of [0, 2_000_000_000, foreign.id, inner.id])
          await refuses(what, removing(group));
      });

      it("are added once, and removed only if direct", async () => {
        const innermost = await userGroup(db, org.realm);
        const inner = await userGroup(db, org.realm, { subgroups: [innermost.id] });
        await accepted(what, adding(inner.id));
        await refuses(what, adding(inner.id));
        await refuses(what, removing(innermost.id));
        await accepted(what, adding(innermost.id));
      });

      it("never contain the group at any depth", async () => {
        const inner = await newGroup(gateway, org.member);
        const innermost = await newGroup(gateway, org.member);
        await refuses(what, adding(id));
        await accepted("subgroups", { add: [inner] });
        await accepted("subgroups", { add: [innermost] }, org.member, inner);
        await refuses(what, adding(id), org.member, inner);
        await refuses(what, adding(id), org.member, innermost);
        await refuses(what, adding(inner), org.member, innermost);
        expect(await subgroupIds(innermost)).to.deep.equal([]);
      });

      it("require a non-empty change", async () => {
        await refuses(what, {});
        await refuses(what, { ...adding(), ...removing() });
      });

      it("require an existing group that is not a system group", async () => {
        const foreign = await newGroup(gateway, (await organization(db)).owner);
        const inner = await userGroup(db, org.realm);
        for (const group of [0, 2_000_000_000, foreign, ...Object.values(org.groups)])
          await refuses(what, adding(inner.id), org.owner, group);
      });
    });
  }
});
