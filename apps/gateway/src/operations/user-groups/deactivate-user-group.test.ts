import {
  createChannel,
  createUserGroup,
  deactivateUserGroup,
  getChannel,
  listUserGroupMembers,
  updateUserGroup,
  updateUserGroupMembers,
  channelPermissions,
  groupPermissions,
  realmPermissions,
} from "@carillon/contract";
import {
  anonymousGroup,
  changeChannel,
  changeOrganization,
  channel,
  eventsOf,
  newGroup,
  organization,
  readGroup,
  refused,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

const columnsOf = (settings: object) => Object.keys(settings).map((key) => `${key}Id`);

describe("POST /user_groups/{user_group_id}/deactivate", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let id: number;
  beforeEach(async () => {
    org = await organization(db);
    id = await newGroup(gateway, org.member, { members: [org.guest.id] });
  });

  const deactivate = (group = id, by: TestAccount = org.member, params = {}) =>
    gateway.as(by).call(deactivateUserGroup, { path: { user_group_id: group }, params });
  const refuses = (
    { code, ...fields }: { code?: string; [field: string]: unknown } = {},
    group = id,
    by: TestAccount = org.member,
  ) => refused(db, () => deactivate(group, by), code, fields);
  const inUse = (...objections: object[]) =>
    refuses({ code: "CANNOT_DEACTIVATE_GROUP_IN_USE", objections });
  const isFree = async () => {
    expect((await deactivate()).body).to.deep.equal({ result: "success", msg: "" });
  };
  const around = () => anonymousGroup(db, org.realm.id, [org.member.id], [id]);

  it("changes only the deactivated state and writes an audit entry", async () => {
    const subgroup = await userGroup(db, org.realm);
    await gateway.as(org.member).succeed(updateUserGroupMembers, {
      path: { user_group_id: id },
      params: { add_subgroups: [subgroup.id] },
    });
    const before = await readGroup(gateway, org.owner, id);
    const { events } = await eventsOf(db, org.realm.id, isFree);
    expect(await readGroup(gateway, org.owner, id)).to.deep.equal({ ...before, deactivated: true });
    expect(
      events.map(({ type, op, audience, payload }) => [type, op, audience, payload]),
    ).to.deep.equal([
      ["user_group", "update", null, { group_id: id, data: { deactivated: true } }],
    ]);
    const [row] = await db.prisma.auditLog.findMany({ orderBy: { id: "desc" }, take: 1 });
    expect(row).to.deep.include({
      eventType: "user_group_deactivated",
      actingUserId: org.member.id,
      extraData: { group_id: id },
    });
  });

  it("has no parameters", async () => {
    const { body } = await deactivate(id, org.member, { force: true });
    expect(body).to.deep.equal({
      result: "success",
      msg: "",
      ignored_parameters_unsupported: ["force"],
    });
  });

  it("requires the permission to manage the group, including bots, and refuses guests", async () => {
    for (const by of [org.admin, org.moderator, org.bot]) await refuses(undefined, id, by);
    await refuses(
      undefined,
      await newGroup(gateway, org.owner, {
        can_manage_group: { direct_members: [org.guest.id], direct_subgroups: [] },
      }),
      org.guest,
    );
    const botGroup = await newGroup(gateway, org.bot);
    expect((await deactivate(botGroup, org.bot)).status).to.equal(200);
    expect((await deactivate(id, org.owner)).status).to.equal(200);
  });

  it("refuses unknown, foreign, anonymous, system and deactivated groups", async () => {
    const there = await organization(db);
    const foreign = await newGroup(gateway, there.owner);
    const anonymous = await around();
    for (const group of [0, 2_000_000_000, foreign, anonymous, ...Object.values(org.groups)])
      await refuses(undefined, group, org.owner);
    await db.rows("DELETE FROM user_group WHERE id = $1", [anonymous]);
    await isFree();
    await refuses(undefined, id, org.owner);
  });

  it("checks permissions before the group's uses", async () => {
    await userGroup(db, org.realm, { subgroups: [id] });
    await refuses({ code: "BAD_REQUEST" }, id, org.admin);
    await db.prisma.namedUserGroup.update({ where: { id }, data: { deactivated: true } });
    await refuses({ code: "BAD_REQUEST" });
  });

  describe("refuses a group in use", () => {
    it("as a subgroup of an active group", async () => {
      const [a, b] = [
        await userGroup(db, org.realm, { subgroups: [id] }),
        await userGroup(db, org.realm, { subgroups: [id] }),
      ];
      await userGroup(db, org.realm, { subgroups: [id], deactivated: true });
      await userGroup(db, org.realm, { subgroups: [a.id] });
      await inUse({ type: "subgroup", supergroup_ids: [a.id, b.id], settings: [] });
    });

    it("by any setting of a channel that is not archived, alone or in an anonymous group", async () => {
      const names = Object.values(channelPermissions).map(({ name }) => name);
      const holders = async (holder: () => Promise<number>) =>
        Object.fromEntries(
          await Promise.all(
            columnsOf(channelPermissions).map(async (column) => [column, await holder()]),
          ),
        ) as Record<string, number>;
      const direct = await channel(db, org.realm, { groups: await holders(async () => id) });
      const one = await channel(db, org.realm, { groups: { canSubscribeGroupId: await around() } });
      await channel(db, org.realm);
      const archived = await channel(db, org.realm, {
        isArchived: true,
        groups: { canSubscribeGroupId: id },
      });
      await inUse(
        { type: "channel", channel_id: direct.id, settings: names },
        { type: "channel", channel_id: one.id, settings: ["can_subscribe_group"] },
      );
      await db.rows("DELETE FROM channels WHERE id = ANY($1)", [[direct.id, one.id]]);
      await isFree();
      await changeChannel(db, archived, { isArchived: false });
      const { stream } = await gateway.as(org.owner).succeed(getChannel, {
        path: { stream_id: archived.id },
      });
      expect(stream.can_subscribe_group).to.equal(id);
    });

    it("by any setting of an active group, including its own", async () => {
      const names = Object.values(groupPermissions).map(({ name }) => name);
      const other = await userGroup(db, org.realm);
      await db.prisma.namedUserGroup.update({
        where: { id: other.id },
        data: Object.fromEntries(columnsOf(groupPermissions).map((column) => [column, id])),
      });
      const gone = await userGroup(db, org.realm, { deactivated: true });
      await db.prisma.namedUserGroup.update({
        where: { id: gone.id },
        data: { canJoinGroupId: id },
      });
      await gateway.as(org.member).succeed(updateUserGroup, {
        path: { user_group_id: id },
        params: {
          can_join_group: { new: { direct_members: [org.guest.id], direct_subgroups: [id] } },
        },
      });
      await inUse(
        { type: "user_group", group_id: id, settings: ["can_join_group"] },
        { type: "user_group", group_id: other.id, settings: names },
      );
    });

    it("by any setting of the organization", async () => {
      const names = Object.values(realmPermissions).map(({ name }) => name);
      const before = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
      const columns = columnsOf(realmPermissions);
      await changeOrganization(
        db,
        org.realm,
        Object.fromEntries(columns.map((column) => [column, id])),
      );
      await inUse({ type: "realm", settings: names });
      await changeOrganization(
        db,
        org.realm,
        Object.fromEntries(
          columns.map((column) => [column, Reflect.get(before, column) as number]),
        ),
      );
      await changeOrganization(db, org.realm, { canInviteUsersGroupId: await around() });
      await inUse({ type: "realm", settings: ["can_invite_users_group"] });
    });

    it("with all uses in one response: subgroup, channel, group, organization", async () => {
      const outer = await userGroup(db, org.realm, { subgroups: [id] });
      const room = await channel(db, org.realm, { groups: { canSendMessageGroupId: id } });
      await db.prisma.namedUserGroup.update({
        where: { id: outer.id },
        data: { canMentionGroupId: id },
      });
      await changeOrganization(db, org.realm, { canCreateBotsGroupId: id });
      await inUse(
        { type: "subgroup", supergroup_ids: [outer.id], settings: [] },
        { type: "channel", channel_id: room.id, settings: ["can_send_message_group"] },
        { type: "user_group", group_id: outer.id, settings: ["can_mention_group"] },
        { type: "realm", settings: ["can_create_bots_group"] },
      );
    });

    it("except through a group that contains it", async () => {
      const outer = await userGroup(db, org.realm, { subgroups: [id] });
      await changeOrganization(db, org.realm, { canCreateBotsGroupId: outer.id });
      await inUse({ type: "subgroup", supergroup_ids: [outer.id], settings: [] });
    });
  });

  describe("afterwards excludes the group from", () => {
    beforeEach(isFree);

    it("settings of groups and channels, alone and in anonymous groups", async () => {
      const own = await newGroup(gateway, org.member);
      const value = { direct_members: [org.member.id], direct_subgroups: [id] };
      const client = gateway.as(org.member);
      for (const setting of [id, value]) {
        const path = { user_group_id: own };
        const params = { can_join_group: { new: setting } };
        await refused(db, () => client.call(updateUserGroup, { path, params }));
        const group = { name: "x", description: "", members: [], can_join_group: setting };
        await refused(db, () => client.call(createUserGroup, { params: group }));
        const room = { name: "x", subscribers: [], can_send_message_group: setting };
        await refused(db, () => client.call(createChannel, { params: room }));
      }
    });

    it("subgroups of other groups", async () => {
      const own = await newGroup(gateway, org.member);
      const group = { name: "x", description: "", members: [], subgroups: [id] };
      const client = gateway.as(org.member);
      await refused(db, () => client.call(createUserGroup, { params: group }));
      const path = { user_group_id: own };
      const params = { add_subgroups: [id] };
      await refused(db, () => client.call(updateUserGroupMembers, { path, params }));
    });

    it("reads of its members", async () => {
      const path = { user_group_id: id };
      await refused(db, () => gateway.as(org.member).call(listUserGroupMembers, { path }));
    });
  });
});
