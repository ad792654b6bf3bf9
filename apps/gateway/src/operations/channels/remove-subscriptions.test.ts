import { removeSubscriptions, type InputOf } from "@carillon/contract";
import {
  bot,
  changeChannel,
  channel,
  eventsOf,
  organization,
  refused,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof removeSubscriptions>]?: unknown };

describe("DELETE /users/me/subscriptions", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const remove = (by: TestAccount, names: readonly string[], params: Params = {}) =>
    gateway.as(by).call(removeSubscriptions, { params: { subscriptions: names, ...params } });
  const removed = async (by: TestAccount, names: readonly string[], params: Params = {}) => {
    const { body } = await remove(by, names, params);
    expect(body.result, body.msg).to.equal("success");
    return body;
  };
  const refuses = (by: TestAccount, names: readonly string[], params: Params = {}, code?: string) =>
    refused(db, () => remove(by, names, params), code);
  const subscribers = async (of: TestChannel) =>
    (await db.prisma.channel.findUniqueOrThrow({ where: { id: of.id } })).subscriberCount;

  it("unsubscribes the caller, including guests, and returns the channels", async () => {
    const first = await channel(db, org.admin, { subscribers: [org.guest, org.member] });
    const second = await channel(db, org.admin, { subscribers: [org.member] });
    expect(await removed(org.member, [first.name.toUpperCase(), second.name])).to.deep.include({
      removed: [first.name, second.name],
      not_removed: [],
    });
    expect(await removed(org.guest, [first.name])).to.deep.include({ removed: [first.name] });
    expect([await subscribers(first), await subscribers(second)]).to.deep.equal([0, 0]);
    expect(await removed(org.member, [first.name])).to.deep.include({
      removed: [],
      not_removed: [first.name],
    });
    expect(await subscribers(first)).to.equal(0);
  });

  it("reports a removal once for parallel requests", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.member, org.guest] });
    await Promise.all([1, 2, 3, 4].map(() => removed(org.member, [room.name])));
    expect(await subscribers(room)).to.equal(1);
  });

  it("unsubscribes the caller's own bots", async () => {
    const robot = await bot(db, org.member);
    const room = await channel(db, org.admin, { subscribers: [robot] });
    await refuses(org.moderator, [room.name], { principals: [robot.id] });
    await removed(org.member, [room.name], { principals: [robot.id] });
    expect(await subscribers(room)).to.equal(0);
  });

  it("lets administrators, channel administrators and holders of the permission unsubscribe others", async () => {
    const helper = await user(db, org.realm);
    const room = await channel(db, helper, { subscribers: [org.member, org.guest, org.owner] });
    await refuses(org.moderator, [room.name], { principals: [org.member.id] });
    await removed(org.admin, [room.name], { principals: [org.member.deliveryEmail] });
    await removed(helper, [room.name], { principals: [org.guest.id] });
    await changeChannel(db, room, {
      canRemoveSubscribersGroupId: org.groups["role:moderators"],
    });
    await removed(org.moderator, [room.name], { principals: [org.owner.id] });
    expect(await subscribers(room)).to.equal(0);
  });

  it("lets administrators unsubscribe others from private channels that they are not subscribed to", async () => {
    const room = await channel(db, org.moderator, { inviteOnly: true, subscribers: [org.member] });
    await removed(org.admin, [room.name], { principals: [org.member.id] });
    expect(await subscribers(room)).to.equal(0);
  });

  it("refuses unknown names, and hidden private channels with the same error", async () => {
    const room = await channel(db, org.moderator, { inviteOnly: true });
    const unknown = await refuses(org.member, ["nowhere"]);
    const hidden = await refuses(org.member, [room.name]);
    expect(hidden.msg.replace(room.name, "nowhere")).to.equal(unknown.msg);
  });

  it("refuses unknown and deactivated accounts, and malformed parameters", async () => {
    const room = await channel(db, org.admin);
    const gone = await user(db, org.realm, { isActive: false });
    for (const principals of [[gone.id], [2_000_000_000], ["nobody@carillon.test"]])
      await refuses(org.admin, [room.name], { principals });
    await refuses(org.admin, [], { subscriptions: undefined }, "REQUEST_VARIABLE_MISSING");
    await refuses(org.admin, [], { subscriptions: room.name });
    await refuses(org.admin, [], { subscriptions: [{ name: room.name }] });
  });

  it("reads its parameters from the query as well", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.member] });
    const query = new URLSearchParams({ subscriptions: JSON.stringify([room.name]) });
    const { body } = await gateway
      .as(org.member)
      .send("DELETE", `/api/v1/users/me/subscriptions?${query.toString()}`);
    expect(body["removed"]).to.deep.equal([room.name]);
  });

  it("sends events to the account that left and to other accounts", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.member, org.guest] });
    const { events } = await eventsOf(db, org.realm.id, () => removed(org.member, [room.name]));
    expect(events).to.have.length(2);
    expect(events[0]).to.deep.include({
      type: "subscription",
      op: "remove",
      audience: [org.member.id],
      payload: { subscriptions: [{ name: room.name, stream_id: room.id }] },
    });
    expect(events[1]?.payload).to.deep.equal({ stream_ids: [room.id], user_ids: [org.member.id] });
    expect(events[1]?.audience).to.include.members([org.guest.id, org.owner.id]);
    expect(events[1]?.audience).not.to.include(org.member.id);
  });

  it("sends the channel's deletion to accounts that no longer see it", async () => {
    const open = await channel(db, org.admin, { subscribers: [org.guest] });
    const closed = await channel(db, org.moderator, {
      inviteOnly: true,
      subscribers: [org.guest, org.member, org.owner],
    });
    const { events } = await eventsOf(db, org.realm.id, () =>
      removed(org.admin, [open.name, closed.name], {
        principals: [org.guest.id, org.member.id, org.owner.id],
      }),
    );
    const gone = events.filter(({ type }) => type === "stream");
    expect(gone.map(({ op }) => op)).to.deep.equal(["delete", "delete"]);
    const byUser = new Map(
      gone.flatMap(({ audience, payload }) =>
        (audience ?? []).map((id) => [id, payload["stream_ids"]] as const),
      ),
    );
    expect(byUser).to.deep.equal(
      new Map([
        [org.guest.id, [open.id, closed.id]],
        [org.member.id, [closed.id]],
      ]),
    );
    const peers = events.filter(({ op }) => op === "peer_remove");
    const ofClosed = peers.find(({ payload }) =>
      ((payload["peers"] ?? [payload]) as Array<{ stream_ids: number[] }>).some(({ stream_ids }) =>
        stream_ids.includes(closed.id),
      ),
    );
    // The owner still sees the channel and gets the removed subscribers, too.
    expect(ofClosed?.audience).to.have.members([org.admin.id, org.moderator.id, org.owner.id]);
  });

  it("sends no events if nothing changed", async () => {
    const room = await channel(db, org.admin);
    const { events } = await eventsOf(db, org.realm.id, () => removed(org.member, [room.name]));
    expect(events).to.deep.equal([]);
  });
});
