import { addSubscriptions, type InputOf } from "@carillon/contract";
import {
  bot,
  changeChannel,
  changeOrganization,
  changeSubscription,
  channel,
  eventsOf,
  organization,
  refused,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  type ReceivedEvent,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof addSubscriptions>]?: unknown };

describe("POST /users/me/subscriptions", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const add = (by: TestAccount, names: readonly string[], params: Params = {}) =>
    gateway.as(by).call(addSubscriptions, {
      params: { subscriptions: names.map((name) => ({ name })), ...params },
    });
  const added = async (by: TestAccount, names: readonly string[], params: Params = {}) => {
    const { body } = await add(by, names, params);
    expect(body.result, body.msg).to.equal("success");
    return body;
  };
  const refuses = (by: TestAccount, names: readonly string[], params: Params = {}, code?: string) =>
    refused(db, () => add(by, names, params), code);
  const subscription = (to: TestChannel, whom: TestAccount) =>
    db.prisma.subscription.findUnique({
      where: { channelId_userId: { channelId: to.id, userId: whom.id } },
    });
  const subscribers = async (to: TestChannel) =>
    (await db.prisma.channel.findUniqueOrThrow({ where: { id: to.id } })).subscriberCount;

  describe("existing channels", () => {
    it("subscribes the caller, regardless of the name's case, and returns the channel", async () => {
      const room = await channel(db, org.admin);
      const body = await added(org.member, [` ${room.name.toUpperCase()} `]);
      expect(body.subscribed).to.deep.equal({ [org.member.id]: [room.name] });
      expect(body.already_subscribed).to.deep.equal({});
      expect(body).not.to.have.property("unauthorized");
      expect(body.new_subscription_messages_sent).to.be.a("boolean");
      expect(await subscribers(room)).to.equal(1);
      const again = await added(org.member, [room.name], { send_new_subscription_messages: false });
      expect(again.subscribed).to.deep.equal({});
      expect(again.already_subscribed).to.deep.equal({ [org.member.id]: [room.name] });
      expect(again).not.to.have.property("new_subscription_messages_sent");
      expect(await subscribers(room)).to.equal(1);
    });

    it("sets the requested colour and restores the settings of an old subscription", async () => {
      const room = await channel(db, org.admin);
      await added(org.member, [], { subscriptions: [{ name: room.name, color: "#ABCDEF" }] });
      expect(await subscription(room, org.member)).to.include({ color: "#abcdef" });
      await changeSubscription(db, room, org.member, { isMuted: true });
      await unsubscribe(db, room, org.member);
      await added(org.member, [], { subscriptions: [{ name: room.name, color: "#000000" }] });
      expect(await subscription(room, org.member)).to.include({
        color: "#abcdef",
        isMuted: true,
        active: true,
      });
    });

    it("assigns colours that the subscriber does not use yet, as long as there are any", async () => {
      const [fresh, other] = [await user(db, org.realm), await user(db, org.realm)];
      const rooms = [];
      for (let n = 0; n < 30; n++) rooms.push(await channel(db, org.admin));
      const names = rooms.map(({ name }) => name);
      const colorsOf = async (whom: TestAccount) => {
        const rows = await db.prisma.subscription.findMany({ where: { userId: whom.id } });
        return rows.map(({ color }) => color);
      };
      await added(fresh, names.slice(0, 3));
      const first = await colorsOf(fresh);
      expect(new Set(first)).to.have.property("size", 3);
      await added(org.member, names.slice(3, 10), { principals: [fresh.id, other.id] });
      const ten = await colorsOf(fresh);
      expect(new Set(ten)).to.have.property("size", 10);
      expect(new Set(await colorsOf(other))).to.have.property("size", 7);
      await added(fresh, names.slice(10));
      const all = await colorsOf(fresh);
      expect(all).to.have.length(30);
      for (const color of all) expect(color).to.match(/^#[0-9a-f]{6}$/);
      // As many as there are colours.
      expect(new Set(all).size).to.be.within(20, 29);
    });

    it("uses the last of two colours for a channel, and the caller's colour for all principals", async () => {
      const room = await channel(db, org.admin);
      const subscriptions = [
        { name: room.name, color: "#111111" },
        { name: room.name.toUpperCase(), color: "#222222" },
      ];
      await added(org.member, [], { subscriptions, principals: [org.guest.id, org.admin.id] });
      for (const whom of [org.guest, org.admin])
        expect(await subscription(room, whom)).to.include({ color: "#222222" });
    });

    it("subscribes others by ID or by address, including bots and guests", async () => {
      const room = await channel(db, org.admin);
      const byId = await added(org.member, [room.name], { principals: [org.guest.id, org.bot.id] });
      expect(byId.subscribed).to.deep.equal({
        [org.guest.id]: [room.name],
        [org.bot.id]: [room.name],
      });
      const byAddress = await added(org.member, [room.name], {
        principals: [org.admin.deliveryEmail.toUpperCase()],
      });
      expect(byAddress.subscribed).to.deep.equal({ [org.admin.id]: [room.name] });
      expect(await subscribers(room)).to.equal(3);
    });

    it("accepts the visible address of an account with a hidden one, and refuses the hidden address", async () => {
      const room = await channel(db, org.admin);
      const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
      await refuses(org.member, [room.name], { principals: [hidden.deliveryEmail] });
      const body = await added(org.member, [room.name], { principals: [hidden.email] });
      expect(body.subscribed).to.have.all.keys(String(hidden.id));
    });

    it("reports a subscription once for parallel requests", async () => {
      const room = await channel(db, org.admin);
      const bodies = await Promise.all(
        Array.from({ length: 6 }, () => added(org.member, [room.name])),
      );
      const fresh = bodies.filter((body) => Object.keys(body.subscribed).length > 0);
      expect(fresh).to.have.length(1);
      expect(await subscribers(room)).to.equal(1);
    });

    it("handles concurrent requests for the same channels in different orders without deadlock", async () => {
      const rooms = await Promise.all([1, 2, 3, 4].map(() => channel(db, org.admin)));
      const names = rooms.map(({ name }) => name);
      const people = [org.owner.id, org.admin.id, org.moderator.id, org.member.id];
      await Promise.all([
        added(org.owner, names, { principals: people }),
        added(org.admin, [...names].reverse(), { principals: [...people].reverse() }),
        added(org.moderator, names, { principals: people }),
      ]);
      for (const room of rooms) expect(await subscribers(room)).to.equal(4);
    });

    it("opens private channels to holders of a permission, not to administrators", async () => {
      const room = await channel(db, org.moderator, {
        inviteOnly: true,
        groups: { canSubscribeGroupId: org.groups["role:fullmembers"] },
      });
      await added(org.member, [room.name]);
      const closed = await channel(db, org.moderator, { inviteOnly: true });
      await refuses(org.admin, [closed.name]);
      await refuses(org.member, [closed.name]);
      const forAdders = await channel(db, org.moderator, {
        inviteOnly: true,
        groups: { canAddSubscribersGroupId: org.groups["role:members"] },
      });
      await added(org.member, [forAdders.name], { principals: [org.guest.id] });
    });

    it("skips channels that the caller may not use, unless authorization errors are fatal", async () => {
      const open = await channel(db, org.admin);
      const closed = await channel(db, org.admin, { inviteOnly: true });
      const archived = await channel(db, org.admin, { isArchived: true });
      const names = [open.name, closed.name, archived.name];
      await refuses(org.member, names);
      const body = await added(org.member, names, { authorization_errors_fatal: false });
      expect(body.subscribed).to.deep.equal({ [org.member.id]: [open.name] });
      expect(body.unauthorized).to.have.members([closed.name, archived.name]);
      const none = await added(org.member, [open.name], { authorization_errors_fatal: false });
      expect(none.unauthorized).to.deep.equal([]);
    });

    it("requires a permission to subscribe others", async () => {
      const nobody = org.groups["role:nobody"];
      await changeOrganization(db, org.realm, { canAddSubscribersGroupId: nobody });
      const room = await channel(db, org.moderator);
      const others = { principals: [org.guest.id] };
      await refuses(org.member, [room.name], others);
      await refuses(org.member, [room.name], { ...others, authorization_errors_fatal: false });
      await added(org.member, [room.name]);
      await added(org.moderator, [room.name], others);
      await added(org.admin, [room.name], { principals: [org.bot.id] });
      await changeChannel(db, room, { canAddSubscribersGroupId: org.groups["role:members"] });
      await added(org.member, [room.name], { principals: [org.owner.id] });
      await changeOrganization(db, org.realm, {
        canAddSubscribersGroupId: org.groups["role:members"],
      });
    });

    it("refuses guests, unknown and deactivated principals, and anonymous callers", async () => {
      const room = await channel(db, org.admin);
      const gone = await user(db, org.realm, { isActive: false });
      const other = await organization(db);
      await refuses(org.guest, [room.name]);
      for (const principals of [
        [gone.id],
        [2_000_000_000],
        [other.member.id],
        [org.member.id, org.notificationBot.id],
        ["nobody@carillon.test"],
        [gone.deliveryEmail],
        [other.member.deliveryEmail],
      ])
        await refuses(org.member, [room.name], { principals });
    });

    it("does not reach into another organization", async () => {
      const room = await channel(db, org.admin);
      const other = await organization(db);
      const body = await added(other.member, [room.name]);
      expect(body.subscribed).to.deep.equal({ [other.member.id]: [room.name] });
      expect(await subscribers(room)).to.equal(0);
    });

    for (const [name, value] of [
      ["subscriptions", '["general"]'],
      ["subscriptions", "general"],
      ["subscriptions", '[{"name":5}]'],
      ["subscriptions", '[{"name":""}]'],
      ["subscriptions", '[{"name":"x","color":"red"}]'],
      ["principals", '{"id":1}'],
      ["principals", '[1,"a@b.test"]'],
      ["authorization_errors_fatal", "no"],
    ] as const) {
      it(`refuses ${name} = ${value}`, () => refuses(org.member, ["x"], { [name]: value }));
    }

    it("requires the parameter subscriptions", () =>
      refuses(org.member, [], { subscriptions: undefined }, "REQUEST_VARIABLE_MISSING"));
  });

  describe("new channels", () => {
    it("creates them and subscribes the caller", async () => {
      const room = await channel(db, org.admin);
      const body = await added(org.member, [room.name, "Brand new"], { invite_only: true });
      expect(body.subscribed).to.deep.equal({ [org.member.id]: [room.name, "Brand new"] });
      const row = await db.prisma.channel.findFirstOrThrow({ where: { name: "Brand new" } });
      expect(row).to.include({
        creatorId: org.member.id,
        inviteOnly: true,
        historyPublicToSubscribers: false,
        subscriberCount: 1,
      });
    });

    it("creates a channel once if its name is repeated, with its description on one line", async () => {
      const body = await added(org.member, [], {
        subscriptions: [{ name: "Twice", description: "a\nb" }, { name: "tWICE" }],
      });
      expect(body.subscribed).to.deep.equal({ [org.member.id]: ["Twice"] });
      const row = await db.prisma.channel.findFirstOrThrow({ where: { name: "Twice" } });
      expect(row).to.include({ description: "a b", subscriberCount: 1 });
    });

    it("applies the checks of channel creation", async () => {
      await refuses(org.member, ["x".repeat(61)]);
      await refuses(org.member, [], {
        subscriptions: [{ name: "wordy", description: "x".repeat(1025) }],
      });
      await refuses(org.member, ["mine"], { is_default_stream: true });
      await refuses(org.member, ["mine"], { message_retention_days: 3 }, "UNAUTHORIZED_PRINCIPAL");
      await refuses(org.member, ["mine"], { can_send_message_group: 0 });
      await refuses(org.member, ["mine"], { folder_id: 2_000_000_000 });
      await refuses(org.member, ["mine"], { principals: [2_000_000_000] });
    });

    it("creates nothing if another channel of the request is refused", async () => {
      const closed = await channel(db, org.admin, { inviteOnly: true });
      await refuses(org.member, ["never made", closed.name]);
    });

    it("subscribes every caller that races for a channel name", async () => {
      const racers = [org.owner, org.admin, org.moderator, org.member, org.bot];
      const bodies = await Promise.all(racers.map((racer) => added(racer, ["Raced"])));
      bodies.forEach((body, i) =>
        expect(body.subscribed).to.deep.equal({ [String(racers[i]?.id)]: ["Raced"] }),
      );
      const rows = await db.prisma.channel.findMany({ where: { name: "Raced" } });
      expect(rows.map(({ subscriberCount }) => subscriberCount)).to.deep.equal([racers.length]);
      const orphans = await db.rows(
        `SELECT g.id FROM user_group g WHERE NOT EXISTS (SELECT FROM named_user_group n WHERE n.id = g.id)
         AND NOT EXISTS (SELECT FROM channels c WHERE c.can_administer_channel_group_id = g.id)`,
      );
      expect(orphans).to.deep.equal([]);
    });

    it("refuses others in a private channel that was created concurrently", async () => {
      const answers = await Promise.all(
        [org.owner, org.admin, org.member].map((racer) =>
          add(racer, ["Secret"], { invite_only: true }),
        ),
      );
      expect(answers.map(({ status }) => status)).to.have.members([200, 400, 400]);
    });
  });

  describe("events", () => {
    const received = async (by: TestAccount, names: readonly string[], params: Params = {}) => {
      const { events } = await eventsOf(db, org.realm.id, () => added(by, names, params));
      return events;
    };

    it("are sent to each new subscriber, and to others in one event for channels with the same receivers", async () => {
      const rooms = [await channel(db, org.admin), await channel(db, org.admin)];
      const ids = rooms.map(({ id }) => id);
      const events = await received(
        org.member,
        rooms.map(({ name }) => name),
      );
      expect(events.map(({ op }) => op)).to.deep.equal(["add", "peer_add"]);
      expect(events[0]?.audience).to.deep.equal([org.member.id]);
      const subscriptions = events[0]?.payload["subscriptions"] as Array<Record<string, unknown>>;
      expect(subscriptions.map((each) => each["stream_id"])).to.deep.equal(ids);
      expect(subscriptions[0]).to.deep.include({
        subscriber_count: 1,
        subscribers: [org.member.id],
      });
      expect(events[1]?.payload).to.deep.equal({ stream_ids: ids, user_ids: [org.member.id] });
      expect(events[1]?.audience).to.include(org.admin.id);
      expect(events[1]?.audience).not.to.include(org.member.id);
      expect(events[1]?.audience).not.to.include(org.guest.id);
    });

    it("contain the previous settings of a returning subscriber and the defaults of a new one", async () => {
      const [back, fresh] = [await user(db, org.realm), await user(db, org.realm)];
      const room = await channel(db, org.admin, { subscribers: [back] });
      const kept = { isMuted: true, pinToTop: true, emailNotifications: false, color: "#123456" };
      await changeSubscription(db, room, back, kept);
      await unsubscribe(db, room, back);
      const watched = { back: { account: back }, fresh: { account: fresh } };
      const all = await watch(gateway, watched, () =>
        added(org.member, [room.name], { principals: [fresh.id, back.id] }),
      );
      const own = (events: readonly ReceivedEvent[]) =>
        events.flatMap(({ op, subscriptions }) => (op === "add" ? subscriptions : []))[0];
      expect(own(all.back)).to.deep.include({
        color: "#123456",
        is_muted: true,
        in_home_view: false,
        pin_to_top: true,
        email_notifications: false,
      });
      expect(own(all.fresh)).to.deep.include({ is_muted: false, pin_to_top: false });
      expect(own(all.fresh)).not.to.deep.include({ color: "#123456" });
    });

    it("are not sent for existing subscriptions", async () => {
      const room = await channel(db, org.admin, { subscribers: [org.member] });
      expect(await received(org.member, [room.name])).to.deep.equal([]);
    });

    it("show a guest the channel before its subscription", async () => {
      const room = await channel(db, org.admin);
      const events = await received(org.member, [room.name], { principals: [org.guest.id] });
      expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
        "stream/create",
        "subscription/add",
        "subscription/peer_add",
      ]);
      expect(events[0]?.audience).to.deep.equal([org.guest.id]);
    });

    it("of a private channel are sent only to accounts that see it", async () => {
      const room = await channel(db, org.moderator, {
        inviteOnly: true,
        subscribers: [org.moderator, org.guest],
      });
      const events = await received(org.moderator, [room.name], { principals: [org.bot.id] });
      expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
        "stream/create",
        "subscription/add",
        "subscription/peer_add",
      ]);
      expect(events[0]?.audience).to.deep.equal([org.bot.id]);
      expect(events[2]?.audience).to.have.members([
        org.owner.id,
        org.admin.id,
        org.moderator.id,
        org.guest.id,
      ]);
    });

    it("are few for a thousand new subscribers", async () => {
      const owner = await user(db, org.realm);
      const ids = await db.rows<{ id: number }>(
        `INSERT INTO users (realm_id, delivery_email, email, full_name, api_key_sealed, api_key_digest)
         SELECT $1, 'crowd' || n || '@carillon.test', 'crowd' || n || '@carillon.test', 'Crowd ' || n, '',
           sha256(('crowd' || n)::bytea) FROM generate_series(1, 1000) AS n RETURNING id`,
        [org.realm.id],
      );
      const room = await channel(db, owner);
      const events = await received(owner, [room.name], { principals: ids.map(({ id }) => id) });
      expect(events.length).to.be.below(30);
      const receivers = events.flatMap(({ op, audience }) =>
        op === "add" ? (audience ?? []) : [],
      );
      expect(receivers).to.have.length(1000);
      expect(await subscribers(room)).to.equal(1000);
      const robot = await bot(db, owner);
      expect(events.at(-1)?.audience).not.to.include(robot.id);
    });
  });
});
