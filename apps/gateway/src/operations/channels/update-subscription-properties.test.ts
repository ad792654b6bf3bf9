import { updateSubscriptionProperties } from "@carillon/contract";
import {
  changeSubscription,
  channel,
  countQueries,
  eventsOf,
  organization,
  refused,
  refusedAlike,
  refusedWith,
  unsubscribe,
  useDatabase,
  useGateway,
  useBlocker,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /users/me/subscriptions/properties", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const blocker = useBlocker(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const set = (room: { id: number }, property: string, value: unknown) => ({
    stream_id: room.id,
    property,
    value,
  });
  const row = (room: TestChannel, whom: TestAccount) =>
    db.prisma.subscription.findUniqueOrThrow({
      where: { channelId_userId: { channelId: room.id, userId: whom.id } },
    });
  const send = (by: TestAccount, data: unknown) =>
    gateway.as(by).call(updateSubscriptionProperties, { params: { subscription_data: data } });
  const change = async (by: TestAccount, data: unknown) => {
    const { result, events } = await eventsOf(db, by.realmId, () => send(by, data));
    expect(result.body, result.body.msg).to.deep.equal({ result: "success", msg: "" });
    return events.map(({ type, op, payload, audience }) => {
      expect([type, op, audience]).to.deep.equal(["subscription", "update", [by.id]]);
      return payload;
    });
  };

  it("changes the colour and flags of several channels with one event each", async () => {
    const first = await channel(db, org.admin, { subscribers: [org.member, org.guest] });
    const second = await channel(db, org.admin, { subscribers: [org.member] });
    const untouched = [await row(first, org.guest), await row(second, org.member)];
    const wanted = [
      set(first, "color", "#AABB00"),
      set(first, "pin_to_top", true),
      set(first, "desktop_notifications", true),
      set(first, "audible_notifications", false),
      set(first, "push_notifications", true),
      set(first, "email_notifications", false),
      set(first, "wildcard_mentions_notify", true),
      set(second, "pin_to_top", true),
    ];
    const received = wanted.map((each) =>
      each.property === "color" ? { ...each, value: "#aabb00" } : each,
    );
    expect(await change(org.member, wanted)).to.deep.equal(received);
    expect(await row(first, org.member)).to.deep.include({
      color: "#aabb00",
      isMuted: false,
      pinToTop: true,
      desktopNotifications: true,
      audibleNotifications: false,
      pushNotifications: true,
      emailNotifications: false,
      wildcardMentionsNotify: true,
    });
    expect(await row(first, org.guest)).to.deep.equal(untouched[0]);
    expect(await row(second, org.member)).to.deep.equal({ ...untouched[1], pinToTop: true });
  });

  it("sends two events for muting, by either property", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.guest] });
    const received = (muted: boolean) => [
      set(room, "in_home_view", !muted),
      set(room, "is_muted", muted),
    ];
    expect(await change(org.guest, [set(room, "is_muted", true)])).to.deep.equal(received(true));
    expect((await row(room, org.guest)).isMuted).to.equal(true);
    expect(await change(org.guest, [set(room, "in_home_view", true)])).to.deep.equal(
      received(false),
    );
    expect((await row(room, org.guest)).isMuted).to.equal(false);
  });

  it("sends no event for unchanged values", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.member] });
    await changeSubscription(db, room, org.member, { color: "#123456", isMuted: true });
    const same = [
      set(room, "color", "#123456"),
      set(room, "in_home_view", false),
      set(room, "pin_to_top", false),
    ];
    expect(await change(org.member, same)).to.deep.equal([]);
    expect(await change(org.member, [])).to.deep.equal([]);
    expect(
      await change(org.member, [set(room, "pin_to_top", true), set(room, "pin_to_top", false)]),
    ).to.deep.equal([]);
  });

  it("allows bots", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.bot] });
    expect(await change(org.bot, [set(room, "pin_to_top", true)])).to.have.length(1);
  });

  it("changes subscriptions to archived channels", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.member], isArchived: true });
    expect(await change(org.member, [set(room, "pin_to_top", true)])).to.have.length(1);
  });

  it("refuses the whole request if the caller is not subscribed to one channel", async () => {
    const other = await organization(db);
    const [mine, left, open, closed, foreign] = [
      await channel(db, org.admin, { subscribers: [org.member] }),
      await channel(db, org.admin, { subscribers: [org.member] }),
      await channel(db, org.admin),
      await channel(db, org.admin, { inviteOnly: true }),
      await channel(db, other.admin, { subscribers: [other.member] }),
    ];
    await unsubscribe(db, left, org.member);
    const others = [left, open, closed, foreign, { id: 2_000_000_000 }, { id: 10 ** 15 }];
    await refusedAlike(db, others, (room) =>
      send(org.member, [set(mine, "is_muted", true), set(room, "is_muted", true)]),
    );
  });

  it("refuses unknown properties and values of another type", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.member] });
    const good = set(room, "pin_to_top", true);
    const unusable = [
      set(room, "colour", "#aabbcc"),
      set(room, "active", false),
      set(room, "color", "blue"),
      set(room, "color", "#abc"),
      set(room, "color", true),
      set(room, "is_muted", "true"),
      set(room, "is_muted", 1),
      set(room, "push_notifications", null),
      { stream_id: String(room.id), property: "is_muted", value: true },
      { property: "is_muted", value: true },
      { stream_id: room.id, property: "is_muted" },
      7,
    ];
    for (const one of unusable) await refused(db, () => send(org.member, [good, one]));
    await refused(db, () => send(org.member, good));
    const fields = { var_name: "subscription_data" };
    await refused(db, () => send(org.member, undefined), "REQUEST_VARIABLE_MISSING", fields);
  });

  it("refuses channels that the caller is unsubscribed from meanwhile", async () => {
    const me = await user(db, org.realm);
    const room = await channel(db, org.admin, { subscribers: [me] });
    await blocker.lock("UPDATE subscriptions SET active = false WHERE user_id = $1", [me.id]);
    const request = eventsOf(db, me.realmId, () => send(me, [set(room, "pin_to_top", true)]));
    await blocker.untilWaiting(1, "the request waits for the subscription");
    await blocker.lock("COMMIT");
    const { result, events } = await request;
    refusedWith(result);
    expect(events).to.deep.equal([]);
    expect(await row(room, me)).to.include({ pinToTop: false, active: false });
  });

  it("runs the same number of statements for any number of channels", async () => {
    const me = await user(db, org.realm);
    const rooms = await Promise.all(
      Array.from({ length: 12 }, () => channel(db, org.admin, { subscribers: [me] })),
    );
    const count = async (some: readonly TestChannel[]) =>
      (
        await countQueries(db, () =>
          change(
            me,
            some.map((room) => set(room, "is_muted", true)),
          ),
        )
      ).count;
    expect(await count(rooms.slice(0, 1))).to.equal(await count(rooms.slice(1)));
  });

  it("handles parallel requests for the same channels", async () => {
    const me = await user(db, org.realm);
    const rooms = await Promise.all(
      Array.from({ length: 4 }, () => channel(db, org.admin, { subscribers: [me] })),
    );
    const data = (pin: boolean) => rooms.map((room) => set(room, "pin_to_top", pin));
    await Promise.all(
      [data(true), data(true).reverse(), data(false), data(false).reverse()].map((each) =>
        gateway
          .as(me)
          .succeed(updateSubscriptionProperties, { params: { subscription_data: each } }),
      ),
    );
    const pinned = await Promise.all(rooms.map((room) => row(room, me)));
    expect(new Set(pinned.map(({ pinToTop }) => pinToTop))).to.have.property("size", 1);
  });
});
