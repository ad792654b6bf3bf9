import {
  anonymousGroup,
  deactivateUser,
  organization,
  snapshotOf,
  type TestAccount,
  type TestOrganization,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

interface Group extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly name: string;
  readonly members: number[];
  readonly direct_subgroup_ids: number[];
}

describe("POST /register: the user groups", () => {
  const scene = useScene();
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(scene.db);
  });

  const groupsOf = async (account: TestAccount, capabilities = {}) => {
    const snapshot = await snapshotOf(scene.as(account), ["realm_user_groups"], {
      client_capabilities: capabilities,
    });
    return snapshot["realm_user_groups"] as Group[];
  };
  const groupOf = async (account: TestAccount, id: number) => {
    const found = (await groupsOf(account)).find((group) => group.id === id);
    if (!found) throw new Error(`there is no group ${id}`);
    return found;
  };

  it("begin with the system groups, each containing the previous one", async () => {
    const { groups } = org;
    const found = await groupsOf(org.member);
    expect(
      found.map((group) => [group.name, group.members, group.direct_subgroup_ids]),
    ).to.deep.equal([
      ["role:nobody", [], []],
      ["role:owners", [org.owner.id], []],
      ["role:administrators", [org.admin.id], [groups["role:owners"]]],
      ["role:moderators", [org.moderator.id], [groups["role:administrators"]]],
      ["role:fullmembers", [org.member.id, org.bot.id], [groups["role:moderators"]]],
      ["role:members", [org.member.id, org.bot.id], [groups["role:fullmembers"]]],
      ["role:everyone", [org.guest.id], [groups["role:members"]]],
      ["role:internet", [], [groups["role:everyone"]]],
    ]);
    const nobody = groups["role:nobody"];
    expect(found[1]).to.deep.equal({
      id: groups["role:owners"],
      name: "role:owners",
      description: "Owners of this organization",
      date_created: null,
      creator_id: null,
      members: [org.owner.id],
      direct_subgroup_ids: [],
      is_system_group: true,
      deactivated: false,
      can_add_members_group: nobody,
      can_join_group: nobody,
      can_leave_group: nobody,
      can_manage_group: nobody,
      can_mention_group: nobody,
      can_remove_members_group: nobody,
    });
  });

  it("have ascending lists, and settings as named or anonymous groups without deactivated accounts", async () => {
    const { db } = scene;
    const inner = await userGroup(db, org.realm);
    const group = await userGroup(db, org.realm, {
      members: [org.guest, org.bot, org.owner],
      subgroups: [inner.id, org.groups["role:owners"]],
    });
    const managers = await anonymousGroup(
      db,
      org.realm.id,
      [org.member.id, org.bot.id, org.owner.id],
      [inner.id],
    );
    await db.prisma.namedUserGroup.update({
      where: { id: group.id },
      data: {
        canManageGroupId: managers,
        canJoinGroupId: group.id,
        creatorId: org.owner.id,
        dateCreated: new Date(1_700_000_000_900),
      },
    });
    await deactivateUser(db, org.bot);
    expect(await groupOf(org.member, group.id)).to.deep.include({
      members: [org.owner.id, org.guest.id],
      direct_subgroup_ids: [org.groups["role:owners"], inner.id],
      can_manage_group: {
        direct_members: [org.owner.id, org.member.id],
        direct_subgroups: [inner.id],
      },
      can_join_group: group.id,
      can_mention_group: org.groups["role:everyone"],
      creator_id: org.owner.id,
      date_created: 1_700_000_000,
      is_system_group: false,
      deactivated: false,
    });
  });

  it("include deactivated groups for clients that know them", async () => {
    const gone = await userGroup(scene.db, org.realm, { deactivated: true, members: [org.member] });
    expect(await groupsOf(org.member)).to.have.length(8);
    const all = await groupsOf(org.member, { include_deactivated_groups: true });
    expect(all).to.have.length(9);
    expect(all.at(-1)).to.deep.include({
      id: gone.id,
      deactivated: true,
      members: [org.member.id],
    });
  });

  it("are the same for guests and bots", async () => {
    await userGroup(scene.db, org.realm, { members: [org.member] });
    const expected = await groupsOf(org.owner);
    expect(await groupsOf(org.guest)).to.deep.equal(expected);
    expect(await groupsOf(org.bot)).to.deep.equal(expected);
  });

  it("belong to the organization alone", async () => {
    const there = await organization(scene.db);
    await userGroup(scene.db, there.realm, { members: [there.member] });
    const ids = (await groupsOf(org.owner)).map(({ id }) => id);
    expect(ids).to.have.members(Object.values(org.groups));
  });
});
