import { updateUserGroup, type SystemGroupName } from "@carillon/contract";
import {
  deactivateUser,
  eventsOf,
  newGroup,
  organization,
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
type Setting = (typeof settings)[number];

describe("PATCH /user_groups/{user_group_id}: permissions", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let id: number;
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    id = await newGroup(gateway, org.owner);
  });

  const set = (direct_members: number[], direct_subgroups: number[] = []) => ({
    direct_members,
    direct_subgroups,
  });
  const patch = (
    update: object,
    setting: Setting = "can_join_group",
    by: TestAccount = org.owner,
  ) =>
    gateway
      .as(by)
      .call(updateUserGroup, { path: { user_group_id: id }, params: { [setting]: update } });
  const valueOf = async (setting: Setting = "can_join_group") =>
    (await readGroup(gateway, org.owner, id))[setting];
  const accepted = async (update: object, setting: Setting = "can_join_group") => {
    const { body } = await patch(update, setting);
    expect(body, JSON.stringify(update)).to.deep.equal({ result: "success", msg: "" });
    return valueOf(setting);
  };
  const refuses = (
    update: object,
    { code, ...fields }: { code?: string; [field: string]: unknown } = {},
    setting: Setting = "can_join_group",
  ) => refused(db, () => patch(update, setting), code, fields);
  const mismatch = { code: "EXPECTATION_MISMATCH", field_name: "old" };

  describe("are stored in the simplest form", () => {
    it("an empty anonymous group as role:nobody", async () => {
      await accepted({ new: org.groups["role:members"] });
      expect(await accepted({ new: set([]) })).to.equal(org.groups["role:nobody"]);
    });

    it("a single subgroup as that group, even if repeated", async () => {
      const group = await userGroup(db, org.realm);
      expect(await accepted({ new: set([], [group.id, group.id]) })).to.equal(group.id);
    });

    it("other values as an anonymous group with sorted, unique lists", async () => {
      const [a, b] = [await userGroup(db, org.realm), await userGroup(db, org.realm)];
      const ids = [org.guest.id, org.bot.id, org.owner.id];
      expect(
        await accepted({ new: set([...ids, org.guest.id], [b.id, a.id, b.id]) }),
      ).to.deep.equal(
        set(
          ids.toSorted((x, y) => x - y),
          [a.id, b.id],
        ),
      );
      expect(await accepted({ new: set([], [b.id, a.id]) })).to.deep.equal(set([], [a.id, b.id]));
    });

    it("and deletes the previous anonymous group when the value changes", async () => {
      const anonymous = async () => (await db.prisma.userGroup.count()) - (await named());
      const named = () => db.prisma.namedUserGroup.count();
      const holder = async () =>
        (await db.prisma.namedUserGroup.findUniqueOrThrow({ where: { id } })).canJoinGroupId;
      const before = await anonymous();
      await accepted({ new: set([org.guest.id]) });
      const own = await holder();
      expect(await anonymous()).to.equal(before + 1);
      await accepted({ new: set([org.member.id], [org.groups["role:moderators"], id]) });
      expect(await holder()).to.equal(own);
      expect(await anonymous()).to.equal(before + 1);
      await accepted({ new: org.groups["role:members"] });
      expect(await anonymous()).to.equal(before);
    });
  });

  describe("with an expected old value", () => {
    it("change if it is the current value in any form", async () => {
      const { groups } = org;
      await accepted({ new: groups["role:members"], old: groups["role:nobody"] });
      await accepted({ new: groups["role:moderators"], old: set([], [groups["role:members"]]) });
      await accepted({ new: set([org.guest.id, org.bot.id]), old: groups["role:moderators"] });
      await accepted({
        new: groups["role:nobody"],
        old: set([org.bot.id, org.guest.id, org.bot.id]),
      });
      expect(await accepted({ new: id, old: set([]) })).to.equal(id);
    });

    it("are refused if it is not, before other checks", async () => {
      const { groups } = org;
      await accepted({ new: set([org.guest.id, org.bot.id]) });
      for (const old of [
        groups["role:nobody"],
        set([org.guest.id]),
        set([org.guest.id, org.bot.id], [groups["role:nobody"]]),
        set([]),
        0,
        -1,
        2_000_000_000,
        99_999_999_999_999,
      ])
        await refuses({ new: groups["role:members"], old }, mismatch);
      await refuses({ new: groups["role:everyone"], old: groups["role:nobody"] }, mismatch);
      await refuses({ new: 2_000_000_000, old: groups["role:nobody"] }, mismatch);
      await refuses({ new: set([org.bot.id, org.guest.id]), old: groups["role:nobody"] }, mismatch);
    });

    it("never match the ID of a stored anonymous group", async () => {
      await accepted({ new: set([org.guest.id]) });
      const { canJoinGroupId } = await db.prisma.namedUserGroup.findUniqueOrThrow({
        where: { id },
      });
      await refuses({ new: org.groups["role:members"], old: canJoinGroupId }, mismatch);
    });

    it("match the displayed value, without deactivated accounts", async () => {
      const gone = await user(db, org.realm);
      await accepted({ new: set([gone.id, org.guest.id]) });
      await deactivateUser(db, gone);
      await refuses({ new: id, old: set([gone.id, org.guest.id]) }, mismatch);
      await accepted({ new: set([org.guest.id, org.bot.id]), old: set([org.guest.id]) });
      const last = await user(db, org.realm);
      await accepted({ new: set([last.id]) });
      await deactivateUser(db, last);
      await refuses({ new: id, old: org.groups["role:nobody"] }, mismatch);
      expect(await valueOf()).to.deep.equal(set([]));
      expect(await accepted({ new: id, old: set([]) })).to.equal(id);
    });
  });

  describe("equal to the current value", () => {
    it("change nothing and send no event", async () => {
      await accepted({ new: set([org.guest.id, org.bot.id]) });
      const { events } = await eventsOf(db, org.realm.id, async () => {
        await accepted({ new: set([org.bot.id, org.guest.id, org.bot.id]) });
        await accepted({
          new: set([org.bot.id, org.guest.id]),
          old: set([org.guest.id, org.bot.id]),
        });
      });
      expect(events).to.deep.equal([]);
    });

    it("are not checked: a deactivated group may remain", async () => {
      const group = await userGroup(db, org.realm);
      await accepted({ new: group.id });
      await db.prisma.namedUserGroup.update({
        where: { id: group.id },
        data: { deactivated: true },
      });
      expect(await accepted({ new: group.id })).to.equal(group.id);
      await refuses({ new: set([org.guest.id], [group.id]) });
    });
  });

  describe("are refused", () => {
    it("for groups that are unknown, deactivated, anonymous or of another organization", async () => {
      const gone = await userGroup(db, org.realm, { deactivated: true });
      const there = await organization(db);
      const foreign = await userGroup(db, there.realm);
      const { canManageGroupId } = await db.prisma.namedUserGroup.findUniqueOrThrow({
        where: { id },
      });
      for (const group of [
        0,
        -7,
        2_000_000_000,
        99_999_999_999_999,
        gone.id,
        foreign.id,
        canManageGroupId,
      ]) {
        await refuses({ new: group });
        await refuses({ new: set([], [group]) });
        await refuses({ new: set([org.member.id], [group]) });
      }
    });

    it("for accounts that are unknown, deactivated or of another organization", async () => {
      const gone = await user(db, org.realm, { isActive: false });
      const there = await organization(db);
      for (const account of [0, -7, 2_000_000_000, 99_999_999_999_999, gone.id, there.member.id])
        await refuses({ new: set([org.member.id, account]) });
    });
  });

  const forbidden: Readonly<Record<Setting, readonly SystemGroupName[]>> = {
    can_add_members_group: ["role:everyone", "role:internet"],
    can_join_group: ["role:everyone", "role:internet"],
    can_leave_group: ["role:internet"],
    can_manage_group: ["role:everyone", "role:internet"],
    can_mention_group: ["role:internet", "role:owners"],
    can_remove_members_group: ["role:everyone", "role:internet"],
  };
  for (const setting of settings) {
    it(`accept the system groups that ${setting} may have, also as a single subgroup`, async () => {
      for (const [name, group] of Object.entries(org.groups) as Array<[SystemGroupName, number]>) {
        if (forbidden[setting].includes(name)) {
          await refuses({ new: group }, { code: "BAD_REQUEST" }, setting);
          await refuses({ new: set([], [group]) }, { code: "BAD_REQUEST" }, setting);
        } else expect(await accepted({ new: group }, setting)).to.equal(group);
        const part = set([org.guest.id], [group]);
        expect(await accepted({ new: part }, setting), name).to.deep.equal(part);
      }
      expect(await accepted({ new: id }, setting)).to.equal(id);
    });
  }
});
