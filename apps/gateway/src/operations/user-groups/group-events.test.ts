import {
  deactivateUserGroup,
  getEvents,
  register,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "@carillon/contract";
import {
  newGroup,
  organization,
  readGroup,
  refused,
  useDatabase,
  useGateway,
  userGroup,
  type Params,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Events of user group changes", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  /** Returns the queue's user group events from now on. */
  const listen = async (account: TestAccount, knowsDeactivated: boolean) => {
    const client = gateway.as(account);
    const { queue_id, last_event_id } = await client.succeed(register, {
      params: {
        event_types: ["user_group"],
        client_capabilities: {
          notification_settings_null: false,
          include_deactivated_groups: knowsDeactivated,
        },
      },
    });
    return async () => {
      const { events } = await client.succeed(getEvents, {
        params: { queue_id, last_event_id, dont_block: true },
      });
      return (events as Array<{ id: number }>).map(({ id, ...event }) => {
        expect(id).to.be.a("number");
        return event;
      });
    };
  };
  const patch = (id: number, params: Params) =>
    gateway.as(org.owner).succeed(updateUserGroup, { path: { user_group_id: id }, params });
  const members = (id: number, params: Params) =>
    gateway.as(org.owner).succeed(updateUserGroupMembers, { path: { user_group_id: id }, params });
  const subgroups = (id: number, params: Params) =>
    gateway
      .as(org.owner)
      .succeed(updateUserGroupSubgroups, { path: { user_group_id: id }, params });

  const event = (op: string, fields: object) => ({ type: "user_group", op, ...fields });
  const update = (group_id: number, data: object) => event("update", { group_id, data });

  it("are the same for all accounts, in order, including guests and bots", async () => {
    const accounts = [org.owner, org.admin, org.moderator, org.member, org.guest, org.bot];
    const there = await organization(db);
    const elsewhere = await listen(there.owner, true);
    const queues = await Promise.all(
      accounts.flatMap((account) => [listen(account, true), listen(account, false)]),
    );
    const inner = await userGroup(db, org.realm);
    const id = await newGroup(gateway, org.owner, {
      members: [org.member.id],
      subgroups: [inner.id],
    });
    const made = await readGroup(gateway, org.owner, id);
    await patch(id, { name: "Bells", description: "Ring", can_join_group: { new: id } });
    await members(id, { add: [org.guest.id], delete: [org.member.id] });
    await subgroups(id, { add: [org.groups["role:owners"]], delete: [inner.id] });
    const expected = [
      event("add", { group: { ...made, direct_subgroup_ids: [] } }),
      event("add_subgroups", { group_id: id, direct_subgroup_ids: [inner.id] }),
      update(id, { name: "Bells" }),
      update(id, { description: "Ring" }),
      update(id, { can_join_group: id }),
      event("add_members", { group_id: id, user_ids: [org.guest.id] }),
      event("remove_members", { group_id: id, user_ids: [org.member.id] }),
      event("add_subgroups", { group_id: id, direct_subgroup_ids: [org.groups["role:owners"]] }),
      event("remove_subgroups", { group_id: id, direct_subgroup_ids: [inner.id] }),
    ];
    for (const queue of queues) expect(await queue()).to.deep.equal(expected);
    expect(await elsewhere()).to.deep.equal([]);
  });

  it("of deactivation and reactivation depend on what the client supports", async () => {
    const { id } = await userGroup(db, org.realm, { members: [org.member] });
    const inner = await userGroup(db, org.realm);
    const [knowing, others] = [await listen(org.guest, true), await listen(org.guest, false)];
    await gateway.as(org.owner).succeed(deactivateUserGroup, { path: { user_group_id: id } });
    await patch(id, { name: "Asleep", description: "x", can_join_group: { new: inner.id } });
    await members(id, { add: [org.bot.id] });
    await subgroups(id, { add: [inner.id] });
    await patch(id, { deactivated: false, name: "Awake", can_join_group: { new: id } });
    const awake = await readGroup(gateway, org.owner, id);
    expect(await knowing()).to.deep.equal([
      update(id, { deactivated: true }),
      update(id, { name: "Asleep" }),
      update(id, { description: "x" }),
      update(id, { can_join_group: inner.id }),
      event("add_members", { group_id: id, user_ids: [org.bot.id] }),
      event("add_subgroups", { group_id: id, direct_subgroup_ids: [inner.id] }),
      update(id, { name: "Awake" }),
      update(id, { deactivated: false }),
      update(id, { can_join_group: id }),
    ]);
    expect(await others()).to.deep.equal([
      event("remove", { group_id: id }),
      event("add", { group: { ...awake, can_join_group: inner.id } }),
      update(id, { can_join_group: id }),
    ]);
  });

  it("are not sent for refused requests or requests without effect", async () => {
    const { id } = await userGroup(db, org.realm, { deactivated: true });
    const queue = await listen(org.member, true);
    await patch(id, { deactivated: true });
    const asked = {
      path: { user_group_id: id },
      params: { deactivated: false, name: "New", can_join_group: { new: 0 } },
    };
    await refused(db, () => gateway.as(org.owner).call(updateUserGroup, asked));
    expect(await queue()).to.deep.equal([]);
  });
});
