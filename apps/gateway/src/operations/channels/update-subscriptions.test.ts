import { updateSubscriptions } from "@carillon/contract";
import {
  changesOf,
  channel,
  eventsOf,
  organization,
  refused,
  unique,
  useDatabase,
  useGateway,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

describe("PATCH /users/me/subscriptions", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const send = (by: TestAccount, params: Params) =>
    eventsOf(db, by.realmId, () => gateway.as(by).call(updateSubscriptions, { params }));
  const refuses = (by: TestAccount, params: Params) =>
    refused(db, () => gateway.as(by).call(updateSubscriptions, { params }), "BAD_REQUEST");
  const isSubscribed = async (room: TestChannel, whom: TestAccount) =>
    (
      await db.prisma.subscription.findUnique({
        where: { channelId_userId: { channelId: room.id, userId: whom.id } },
      })
    )?.active ?? false;

  it("subscribes and unsubscribes the caller in one request and returns both results", async () => {
    const [wanted, had, unwanted, never] = [
      await channel(db, org.admin),
      await channel(db, org.admin, { subscribers: [org.member] }),
      await channel(db, org.admin, { subscribers: [org.member] }),
      await channel(db, org.admin),
    ];
    const { result, events } = await send(org.member, {
      add: [{ name: wanted.name, color: "#AABBCC" }, { name: had.name }],
      delete: [unwanted.name, never.name.toUpperCase()],
    });
    expect(result.body).to.deep.equal({
      result: "success",
      msg: "",
      subscribed: { [org.member.id]: [wanted.name] },
      already_subscribed: { [org.member.id]: [had.name] },
      removed: [unwanted.name],
      not_removed: [never.name],
    });
    expect(await isSubscribed(wanted, org.member)).to.equal(true);
    expect(await isSubscribed(unwanted, org.member)).to.equal(false);
    expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "subscription/add",
      "subscription/peer_add",
      "subscription/remove",
      "subscription/peer_remove",
    ]);
    expect(events[0]?.audience).to.deep.equal([org.member.id]);
    expect(events[2]?.audience).to.deep.equal([org.member.id]);
  });

  it("accepts one of the two lists alone and creates missing channels", async () => {
    const name = unique("new room");
    const added = await send(org.member, { add: [{ name, description: "Soup" }] });
    expect(added.result.body).to.deep.include({
      subscribed: { [org.member.id]: [name] },
      already_subscribed: {},
      removed: [],
      not_removed: [],
    });
    const removed = await send(org.member, { delete: [name] });
    expect(removed.result.body).to.deep.include({
      subscribed: {},
      already_subscribed: {},
      removed: [name],
      not_removed: [],
    });
  });

  it("refuses empty requests and malformed parameters", async () => {
    await refuses(org.member, {});
    await refuses(org.member, { add: [], delete: [] });
    await refuses(org.member, { add: ["general"] });
    await refuses(org.member, { delete: [{ name: "general" }] });
    await refuses(org.member, { delete: "general" });
  });

  it("applies neither list if one is refused", async () => {
    const mine = await channel(db, org.admin, { subscribers: [org.member] });
    const open = await channel(db, org.admin);
    const closed = await channel(db, org.admin, { inviteOnly: true });
    await refuses(org.member, { add: [{ name: closed.name }], delete: [mine.name] });
    await refuses(org.member, { add: [{ name: open.name }], delete: [closed.name] });
    await refuses(org.member, { add: [{ name: unique("new") }], delete: ["nowhere at all"] });
  });

  it("lets guests unsubscribe but not subscribe", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.guest] });
    const open = await channel(db, org.admin, { isWebPublic: true });
    await refuses(org.guest, { add: [{ name: open.name }], delete: [room.name] });
    const { result } = await send(org.guest, { delete: [room.name] });
    expect(result.body).to.deep.include({ removed: [room.name] });
  });

  it("unsubscribes from a channel in both lists, new or not, and sends both events", async () => {
    const room = await channel(db, org.admin);
    const name = unique("for a moment");
    const { result, events } = await send(org.member, {
      add: [{ name: room.name }, { name }],
      delete: [room.name.toUpperCase(), name],
    });
    expect(result.body.subscribed, result.body.msg).to.deep.equal({
      [org.member.id]: [room.name, name],
    });
    expect(result.body.removed).to.have.members([room.name, name]);
    expect(await isSubscribed(room, org.member)).to.equal(false);
    const rows = await db.prisma.channel.findMany({ where: { name: { in: [room.name, name] } } });
    expect(rows.map(({ subscriberCount }) => subscriberCount)).to.deep.equal([0, 0]);
    const own = events.filter(({ op }) => op === "add" || op === "remove");
    expect(own.map(({ op }) => op)).to.deep.equal(["add", "remove"]);
  });

  it("unsubscribes from archived channels but refuses subscriptions to them", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.member], isArchived: true });
    await refuses(org.member, { add: [{ name: room.name }] });
    const { result } = await send(org.member, { delete: [room.name] });
    expect(result.body).to.deep.include({ removed: [room.name] });
  });

  it("allows bots to change their own subscriptions only", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.member] });
    const other = await channel(db, org.admin, { subscribers: [org.bot] });
    const { result } = await send(org.bot, {
      add: [{ name: room.name }],
      delete: [other.name],
      principals: [org.member.id],
    });
    expect(result.body).to.deep.include({
      subscribed: { [org.bot.id]: [room.name] },
      removed: [other.name],
      ignored_parameters_unsupported: ["principals"],
    });
    expect(await isSubscribed(room, org.member)).to.equal(true);
  });

  it("sends no notices", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.guest] });
    const { tables } = await changesOf(db, () =>
      send(org.member, { add: [{ name: room.name }, { name: unique("new") }] }),
    );
    expect(tables).to.include("subscriptions").and.not.to.include("job_intent");
  });

  it("does not reach into another organization", async () => {
    const other = await organization(db);
    const foreign = await channel(db, other.admin, { subscribers: [other.member] });
    await refuses(org.member, { delete: [foreign.name] });
    const { events } = await eventsOf(db, other.realm.id, () =>
      send(org.member, { add: [{ name: foreign.name }] }),
    );
    expect(events).to.deep.equal([]);
    expect(await isSubscribed(foreign, other.member)).to.equal(true);
    expect(await isSubscribed(foreign, org.member)).to.equal(false);
  });
});
