import {
  createUserGroup,
  deactivateUserGroup,
  getUserGroupMembership,
  listUserGroupMembers,
  listUserGroups,
  listUserGroupSubgroups,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "@carillon/contract";
import {
  changeOrganization,
  newGroup,
  organization,
  refused,
  refusedWith,
  unique,
  useDatabase,
  useGateway,
  user,
  userGroup,
  type Params,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

type Setting =
  | "can_add_members_group"
  | "can_join_group"
  | "can_leave_group"
  | "can_manage_group"
  | "can_mention_group"
  | "can_remove_members_group";

describe("Permissions on user groups", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestAccount;
  let inner: { id: number };
  before(async () => {
    org = await organization(db);
    other = await user(db, org.realm);
    inner = await userGroup(db, org.realm);
  });

  const stage = async (id: number, members: number[], subgroups: number[] = []) => {
    await db.rows("DELETE FROM user_group_member WHERE group_id = $1", [id]);
    await db.rows("DELETE FROM user_group_subgroup WHERE supergroup_id = $1", [id]);
    await db.rows(
      "INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[])",
      [id, members],
    );
    await db.rows(
      "INSERT INTO user_group_subgroup (supergroup_id, subgroup_id) SELECT $1, unnest($2::int[])",
      [id, subgroups],
    );
  };
  const setDeactivated = (id: number, deactivated: boolean) =>
    db.rows("UPDATE named_user_group SET deactivated = $2 WHERE id = $1", [id, deactivated]);
  const members = (by: TestAccount, id: number, params: Params) =>
    gateway.as(by).call(updateUserGroupMembers, { path: { user_group_id: id }, params });
  const subgroups = (by: TestAccount, id: number, params: Params) =>
    gateway.as(by).call(updateUserGroupSubgroups, { path: { user_group_id: id }, params });
  const update = (by: TestAccount, id: number, params: Params) =>
    gateway.as(by).call(updateUserGroup, { path: { user_group_id: id }, params });

  /** All operations on a group; each attempt first brings the group into the required state. */
  const attempts = {
    list: (by: TestAccount) => gateway.as(by).call(listUserGroups),
    "read members": (by: TestAccount, id: number) =>
      gateway.as(by).call(listUserGroupMembers, { path: { user_group_id: id } }),
    "read membership": (by: TestAccount, id: number) =>
      gateway.as(by).call(getUserGroupMembership, { path: { user_group_id: id, user_id: by.id } }),
    "read subgroups": (by: TestAccount, id: number) =>
      gateway.as(by).call(listUserGroupSubgroups, { path: { user_group_id: id } }),
    create: (by: TestAccount) =>
      gateway.as(by).call(createUserGroup, {
        params: { name: unique("made"), description: "", members: [] },
      }),
    update: (by: TestAccount, id: number) => update(by, id, { description: unique("text") }),
    reactivate: async (by: TestAccount, id: number) => {
      await setDeactivated(id, true);
      const answer = await update(by, id, { deactivated: false });
      await setDeactivated(id, false);
      return answer;
    },
    deactivate: async (by: TestAccount, id: number) => {
      const path = { user_group_id: id };
      const answer = await gateway.as(by).call(deactivateUserGroup, { path });
      await setDeactivated(id, false);
      return answer;
    },
    join: async (by: TestAccount, id: number) => {
      await stage(id, []);
      return members(by, id, { add: [by.id, by.id] });
    },
    add: async (by: TestAccount, id: number) => {
      await stage(id, []);
      return members(by, id, { add: [other.id] });
    },
    "join with another": async (by: TestAccount, id: number) => {
      await stage(id, []);
      return members(by, id, { add: [by.id, other.id] });
    },
    leave: async (by: TestAccount, id: number) => {
      await stage(id, [by.id]);
      return members(by, id, { delete: [by.id] });
    },
    remove: async (by: TestAccount, id: number) => {
      await stage(id, [other.id]);
      return members(by, id, { delete: [other.id] });
    },
    "leave with another": async (by: TestAccount, id: number) => {
      await stage(id, [by.id, other.id]);
      return members(by, id, { delete: [by.id, other.id] });
    },
    "join, and remove another": async (by: TestAccount, id: number) => {
      await stage(id, [other.id]);
      return members(by, id, { add: [by.id], delete: [other.id] });
    },
    "add subgroups": async (by: TestAccount, id: number) => {
      await stage(id, []);
      return subgroups(by, id, { add: [inner.id] });
    },
    "remove subgroups": async (by: TestAccount, id: number) => {
      await stage(id, [], [inner.id]);
      return subgroups(by, id, { delete: [inner.id] });
    },
  };
  type Attempt = keyof typeof attempts;
  const all = Object.keys(attempts) as Attempt[];
  const open: readonly Attempt[] = [
    "list",
    "read members",
    "read membership",
    "read subgroups",
    "create",
  ];

  /** Returns the allowed operations; all others must be refused with the same error. */
  const allowed = async (by: TestAccount, id: number) => {
    const found: Attempt[] = [];
    for (const name of all) {
      const answer = await attempts[name](by, id);
      if (answer.status === 200) found.push(name);
      else refusedWith(answer);
    }
    return found;
  };
  /** Creates a group in which one account holds the given permissions only. */
  const groupWith = async (to: TestAccount, ...settings: Setting[]) => {
    const group = await userGroup(db, org.realm);
    await db.prisma.namedUserGroup.update({
      where: { id: group.id },
      data: { canLeaveGroupId: org.groups["role:nobody"] },
    });
    for (const setting of settings)
      await gateway.as(org.owner).succeed(updateUserGroup, {
        path: { user_group_id: group.id },
        params: { [setting]: { new: { direct_members: [to.id], direct_subgroups: [] } } },
      });
    return group.id;
  };

  it("by default allow all but guests to read and create, owners to manage, and guests nothing", async () => {
    const id = await groupWith(org.owner);
    for (const by of [org.admin, org.moderator, org.member, org.bot])
      expect(await allowed(by, id), by.fullName).to.deep.equal(open);
    expect(await allowed(org.owner, id)).to.deep.equal(all);
    expect(await allowed(org.guest, id)).to.deep.equal([]);
  });

  const expected: ReadonlyArray<[Setting, readonly Attempt[]]> = [
    ["can_manage_group", all],
    ["can_add_members_group", [...open, "join", "add", "join with another", "add subgroups"]],
    ["can_join_group", [...open, "join"]],
    ["can_remove_members_group", [...open, "leave", "remove", "leave with another"]],
    ["can_leave_group", [...open, "leave"]],
    ["can_mention_group", open],
  ];
  for (const [setting, names] of expected) {
    it(`${setting} allows members, moderators and bots its own operations only`, async () => {
      for (const by of [org.member, org.moderator, org.bot]) {
        const found = await allowed(by, await groupWith(by, setting));
        expect(found, by.fullName).to.have.members(names);
      }
    });
  }

  it("require both permissions for a request that adds and removes", async () => {
    const id = await groupWith(org.member, "can_join_group", "can_remove_members_group");
    expect(await allowed(org.member, id)).to.have.members([
      ...open,
      "join",
      "leave",
      "remove",
      "leave with another",
      "join, and remove another",
    ]);
  });

  it("give guests nothing, even through role:everyone", async () => {
    const id = await groupWith(
      org.guest,
      ...expected.map(([setting]) => setting).filter((setting) => setting !== "can_leave_group"),
    );
    await gateway.as(org.owner).succeed(updateUserGroup, {
      path: { user_group_id: id },
      params: { can_leave_group: { new: org.groups["role:everyone"] } },
    });
    expect(await allowed(org.guest, id)).to.deep.equal([]);
  });

  it("allow holders of the organization's permission to manage every group", async () => {
    const managers = await userGroup(db, org.realm, { members: [org.member, org.bot, org.guest] });
    const before = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
    await changeOrganization(db, org.realm, { canManageAllGroupsId: managers.id });
    const id = await newGroup(gateway, org.admin);
    expect(await allowed(org.member, id)).to.deep.equal(all);
    expect(await allowed(org.bot, id)).to.deep.equal(all);
    expect(await allowed(org.owner, id)).to.deep.equal([...open, "leave"]);
    expect(await allowed(org.guest, id)).to.deep.equal([]);
    const { canManageAllGroupsId } = before;
    await changeOrganization(db, org.realm, { canManageAllGroupsId });
  });

  it("of a deactivated group still apply to its changes", async () => {
    const id = await groupWith(org.member, "can_add_members_group");
    await setDeactivated(id, true);
    expect((await members(org.member, id, { add: [other.id] })).status).to.equal(200);
    await refused(db, () => members(org.moderator, id, { add: [org.bot.id] }));
    await refused(db, () => update(org.member, id, { name: "x" }));
  });
});
