import { addSubscriptions, createChannel, register, removeSubscriptions } from "@carillon/contract";
import {
  changeSettings,
  channel,
  kindsOf,
  muteUser,
  type Params,
  send,
  succeeded,
  type TestAccount,
  type TestChannel,
  toChannel,
  type ReceivedEvent,
  toUsers,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

let names = 0;
const fresh = (what: string) => `${what} ${++names}`;

// events.md §4, as GET /events delivers it: which accounts receive events, in which order.
describe("Receivers of events", () => {
  const scene = useScene();
  let accounts: Record<string, TestAccount>;
  let outsider: TestAccount;
  let otherGuest: TestAccount;

  before(async () => {
    const { db, org } = scene;
    outsider = await user(db, org.realm);
    otherGuest = await user(db, org.realm, { role: 600 });
    const { owner, admin, moderator, member, guest, bot } = org;
    accounts = { owner, admin, moderator, member, guest, bot, outsider, otherGuest };
  });

  const channelTypes = ["stream", "subscription", "default_streams"];
  /** The channel events of each account, without accounts that have none. */
  async function received(work: () => Promise<unknown>): Promise<Record<string, ReceivedEvent[]>> {
    const queues = Object.fromEntries(
      Object.entries(accounts).map(([name, account]) => [
        name,
        { account, params: { event_types: channelTypes } },
      ]),
    );
    const all = await watch(scene.gateway, queues, work);
    return Object.fromEntries(Object.entries(all).filter(([, events]) => events.length > 0));
  }
  const order = (events: Record<string, ReceivedEvent[]>) =>
    Object.fromEntries(Object.entries(events).map(([name, list]) => [name, kindsOf(list)]));
  const room = (overrides: Parameters<typeof channel>[2]): Promise<TestChannel> =>
    channel(scene.db, scene.org.realm, overrides);
  const create = (params: Params) =>
    scene.as(scene.org.owner).succeed(createChannel, { params: params });
  const add = (name: string, principals: readonly TestAccount[]) =>
    scene.as(scene.org.owner).succeed(addSubscriptions, {
      params: { subscriptions: [{ name }], principals: principals.map(({ id }) => id) },
    });
  const remove = (name: string, principals: readonly TestAccount[]) =>
    scene.as(scene.org.owner).succeed(removeSubscriptions, {
      params: { subscriptions: [name], principals: principals.map(({ id }) => id) },
    });

  it("of a new public channel get it before its subscriptions; other guests get nothing", async () => {
    const { member, guest } = scene.org;
    const subscribers = [member.id, guest.id];
    const events = await received(() => create({ name: fresh("public"), subscribers }));
    const seen = ["stream/create", "subscription/peer_add"];
    const subscribed = ["stream/create", "subscription/add"];
    expect(order(events)).to.deep.equal({
      owner: seen,
      admin: seen,
      moderator: seen,
      bot: seen,
      outsider: seen,
      member: subscribed,
      guest: subscribed,
    });
    expect(events["owner"]?.[1]).to.deep.include({ user_ids: subscribers });
    expect(events["guest"]?.[1]).to.have.deep.nested.property(
      "subscriptions[0].subscribers",
      subscribers,
    );
  });

  it("of a new private channel are its subscribers and administrators", async () => {
    const { member, guest } = scene.org;
    const params = { name: fresh("private"), invite_only: true };
    const events = await received(() => create({ ...params, subscribers: [member.id, guest.id] }));
    const seen = ["stream/create", "subscription/peer_add"];
    const subscribed = ["stream/create", "subscription/add"];
    expect(order(events)).to.deep.equal({
      owner: seen,
      admin: seen,
      member: subscribed,
      guest: subscribed,
    });
  });

  it("of default channels are all but guests, after the channel and its subscriptions", async () => {
    const { member } = scene.org;
    const params = { name: fresh("default"), subscribers: [member.id], is_default_stream: true };
    const events = order(await received(() => create(params)));
    expect(events["member"]).to.deep.equal([
      "stream/create",
      "subscription/add",
      "default_streams",
    ]);
    expect(events).not.to.have.any.keys("guest", "otherGuest");
  });

  it("of peer_add events exclude the new subscribers", async () => {
    const { owner, admin, member, guest } = scene.org;
    const open = await room({ subscribers: [guest] });
    const events = await received(() => add(open.name, [member, outsider, otherGuest]));
    expect(order(events)).to.deep.equal({
      owner: ["subscription/peer_add"],
      admin: ["subscription/peer_add"],
      moderator: ["subscription/peer_add"],
      bot: ["subscription/peer_add"],
      guest: ["subscription/peer_add"],
      member: ["subscription/add"],
      outsider: ["subscription/add"],
      otherGuest: ["stream/create", "subscription/add"],
    });
    const ids = [member, outsider, otherGuest].map(({ id }) => id).toSorted((x, y) => x - y);
    expect(events["guest"]?.[0]).to.deep.include({ stream_ids: [open.id], user_ids: ids });
    expect(events["member"]?.[0]).not.to.have.property("user_ids");

    const closed = await room({ inviteOnly: true, subscribers: [owner, guest] });
    expect(order(await received(() => add(closed.name, [member])))).to.deep.equal({
      owner: ["subscription/peer_add"],
      admin: ["subscription/peer_add"],
      guest: ["subscription/peer_add"],
      member: ["stream/create", "subscription/add"],
    });
    expect(order(await received(() => add(closed.name, [admin])))).to.deep.equal({
      owner: ["subscription/peer_add"],
      member: ["subscription/peer_add"],
      guest: ["subscription/peer_add"],
      admin: ["subscription/add"],
    });
  });

  it("of an unsubscription get the channel's deletion only if they no longer see it", async () => {
    const { owner, admin, member, guest } = scene.org;
    const closed = await room({ inviteOnly: true, subscribers: [owner, admin, member, guest] });
    expect(order(await received(() => remove(closed.name, [member, admin])))).to.deep.equal({
      owner: ["subscription/peer_remove"],
      // From the member, who was unsubscribed with them.
      admin: ["subscription/remove", "subscription/peer_remove"],
      guest: ["subscription/peer_remove"],
      member: ["subscription/remove", "stream/delete"],
    });
    const open = await room({ subscribers: [member, guest] });
    const events = order(await received(() => remove(open.name, [guest])));
    expect(events["guest"]).to.deep.equal(["subscription/remove", "stream/delete"]);
    for (const name of ["owner", "admin", "moderator", "bot", "outsider", "member"])
      expect(events[name], name).to.deep.equal(["subscription/peer_remove"]);
    expect(events).not.to.have.property("otherGuest");
  });

  it("are none if nothing changes", async () => {
    const { db, org, gateway } = scene;
    const open = await room({ subscribers: [org.member] });
    const client = scene.as(org.member);
    const twice = async () => {
      await add(open.name, [org.member]);
      await remove(open.name, [outsider]);
      const subscription_data = [
        { stream_id: open.id, property: "is_muted", value: false },
        { stream_id: open.id, property: "pin_to_top", value: false },
      ];
      const properties = "/api/v1/users/me/subscriptions/properties";
      succeeded(await client.post(properties, { subscription_data }));
      const same = { full_name: org.member.fullName, send_read_receipts: true };
      succeeded(await client.patch("/api/v1/settings", same));
      const topic = { stream_id: open.id, topic: "same", visibility_policy: 2 };
      succeeded(await client.post("/api/v1/user_topics", topic));
      succeeded(await client.post("/api/v1/users/me/status", { status_text: "same" }));
      succeeded(await client.post("/api/v1/users/me/presence", { status: "active" }));
    };
    await changeSettings(db, org.member, { send_read_receipts: true });
    await twice();
    const queues = { own: { account: org.member }, other: { account: org.owner } };
    const events = await watch(gateway, queues, twice);
    expect(events).to.deep.equal({ own: [], other: [] });
  });

  it("of a private channel's messages are subscribers only, even with all_public_streams", async () => {
    const { db, gateway, org } = scene;
    const { admin, member, guest } = org;
    const all = { event_types: ["message"], all_public_streams: true };
    const queues = {
      admin: { account: admin, params: all },
      outsider: { account: outsider, params: all },
      "own, as well": { account: member, params: all },
      guest: { account: guest, params: { event_types: ["message"] } },
      otherGuest: { account: otherGuest, params: { event_types: ["message"] } },
    };
    const counts = async (work: () => Promise<unknown>) =>
      Object.fromEntries(
        Object.entries(await watch(gateway, queues, work)).map(([who, { length }]) => [
          who,
          length,
        ]),
      );
    const closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [member, guest] });
    const nobodyElse = { admin: 0, outsider: 0, "own, as well": 1, guest: 1, otherGuest: 0 };
    expect(await counts(() => send(scene.as(member), toChannel(closed.id)))).to.deep.equal(
      nobodyElse,
    );
    const direct = () => send(scene.as(member), toUsers([guest.id]));
    expect(await counts(direct), "nor of direct messages").to.deep.equal(nobodyElse);
    const open = await channel(db, org.realm, { subscribers: [member, guest] });
    expect(await counts(() => send(scene.as(member), toChannel(open.id)))).to.deep.equal({
      ...nobodyElse,
      admin: 1,
      outsider: 1,
    });
    const elsewhere = await channel(db, org.realm, { subscribers: [guest] });
    const unlistened = {
      ...queues,
      admin: { account: admin, params: { event_types: ["message"] } },
    };
    const outside = await watch(gateway, unlistened, () =>
      send(scene.as(admin), toChannel(elsewhere.id)),
    );
    expect(outside.admin, "a sender outside the channel").to.deep.equal([]);
    expect(outside.outsider[0]).to.deep.include({ flags: [] });
  });

  it("of a message get their own flags, and all queues of the sender the same event but for the local ID", async () => {
    const { db, gateway, org } = scene;
    const { member, guest, moderator } = org;
    const annoyed = await user(db, org.realm);
    await muteUser(db, annoyed, member);
    const open = await room({ subscribers: [member, guest, annoyed] });
    const params = { event_types: ["message"] };
    const echoing = await scene.as(member).succeed(register, { params });
    const local = { queue_id: echoing.queue_id, local_id: "7.01" };
    const queues = {
      sender: { account: member, params },
      guest: { account: guest, params },
      annoyed: { account: annoyed, params },
      listening: { account: moderator, params: { ...params, all_public_streams: true } },
    };
    for (const read of [true, false]) {
      const content = `@**${org.guest.fullName}|${guest.id}** and @**${org.moderator.fullName}|${moderator.id}**`;
      const message = toChannel(open.id, { content, read_by_sender: read, ...local });
      const events = await watch(gateway, queues, () => send(scene.as(member), message));
      expect(events.sender[0]).to.deep.include({ flags: read ? ["read"] : [] });
      expect(events.guest[0]).to.deep.include({ flags: ["mentioned"] });
      expect(events.annoyed[0]).to.deep.include({ flags: ["read"] });
      expect(events.listening[0], "mentioned, but no receiver").to.deep.include({ flags: [] });
      for (const [event] of Object.values(events)) {
        expect(event).to.have.all.keys("id", "type", "message", "flags");
        expect(event?.["message"]).not.to.have.any.keys("flags", "local_id", "local_message_id");
      }
    }
    const poll = { queue_id: echoing.queue_id, last_event_id: echoing.last_event_id };
    const { events } = succeeded(await scene.as(member).get("/api/v1/events", poll));
    const own = (events as ReceivedEvent[]).map(({ local_message_id }) => local_message_id);
    expect(own).to.deep.equal(["7.01", "7.01"]);
  });

  it("of a message get it in the requested format, filtered by their narrow", async () => {
    const { db, gateway, org } = scene;
    const { member, guest } = org;
    await db.rows("UPDATE users SET email_address_visibility = 1 WHERE id = $1", [member.id]);
    const open = await room({ subscribers: [member, guest] });
    const types = { event_types: ["message"] };
    const narrowed = (...narrow: string[][]) => ({
      account: guest,
      params: { ...types, narrow },
    });
    const events = await watch(
      gateway,
      {
        plain: { account: guest, params: types },
        html: { account: guest, params: { ...types, apply_markdown: true } },
        pictures: { account: guest, params: { ...types, client_gravatar: false } },
        modern: {
          account: guest,
          params: { ...types, client_capabilities: { empty_topic_name: true } },
        },
        here: narrowed(["channel", open.name.toUpperCase()], ["is", "unread"]),
        elsewhere: narrowed(["stream", open.name], ["topic", "lunch"]),
        direct: narrowed(["is", "dm"]),
        sent: narrowed(["sender", member.email]),
        others: narrowed(["sender", org.owner.email]),
      },
      () => send(scene.as(member), toChannel(open.id, { topic: "", content: "*so*" })),
    );
    const only = (name: keyof typeof events) =>
      events[name].map((event) => event["message"] as Record<string, unknown>);
    expect(only("plain")[0]).to.include({
      content: "*so*",
      content_type: "text/x-markdown",
      subject: "general chat",
      avatar_url: null,
    });
    expect(only("html")[0]).to.include({
      content: "<p><em>so</em></p>",
      content_type: "text/html",
    });
    expect(only("pictures")[0]?.["avatar_url"]).to.be.a("string");
    expect(only("modern")[0]).to.include({ subject: "" });
    const passed = (["here", "elsewhere", "direct", "sent", "others"] as const).map(
      (name) => events[name].length,
    );
    expect(passed).to.deep.equal([1, 0, 0, 1, 0]);
  });
});
