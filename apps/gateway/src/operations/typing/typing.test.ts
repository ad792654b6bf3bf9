import { sendMessage, setTypingStatus } from "@carillon/contract";
import {
  changeOrganization,
  changeSettings,
  channel,
  eventsOf,
  organization,
  refused,
  subscribe,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

describe("POST /typing", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let room: TestChannel;
  beforeEach(async () => {
    org = await organization(db);
    room = await channel(db, org.owner, { subscribers: [org.member, org.guest, org.bot] });
  });

  const call = (by: TestAccount, params: Params) =>
    gateway.as(by).call(setTypingStatus, { params: { op: "start", ...params } });
  /** The events of a request that must succeed. */
  const received = async (by: TestAccount, params: Params) => {
    const { result, events } = await eventsOf(db, org.realm.id, () => call(by, params));
    expect(result.body, JSON.stringify(params)).to.deep.equal({ result: "success", msg: "" });
    return events;
  };
  const refuses = (by: TestAccount, params: Params, code?: string) =>
    refused(db, () => call(by, params), code);
  const person = ({ id, email }: TestAccount) => ({ user_id: id, email });
  const ids = (...accounts: TestAccount[]) => accounts.map(({ id }) => id).sort((a, b) => a - b);
  const inRoom = (params: Params = {}) => ({
    type: "channel",
    stream_id: room.id,
    topic: "lunch",
    ...params,
  });

  describe("direct messages", () => {
    it("sends an event to the participants, including the sender", async () => {
      for (const op of ["start", "stop"]) {
        const events = await received(org.member, { op, to: [org.guest.id, org.admin.id] });
        expect(events).to.have.length(1);
        const recipients = [org.admin, org.member, org.guest].sort((a, b) => a.id - b.id);
        expect(events[0]).to.deep.include({
          type: "typing",
          op,
          audience: ids(org.member, org.guest, org.admin),
          payload: {
            message_type: "direct",
            sender: person(org.member),
            recipients: recipients.map(person),
          },
        });
      }
    });

    it("accepts one ID, the caller's own ID, and the legacy type name", async () => {
      const { guest, member } = org;
      for (const params of [
        { to: guest.id },
        { op: "stop", to: [guest.id, member.id, guest.id] },
        { type: "private", to: [guest.id] },
        { op: "stop", type: "direct", to: [guest.id] },
      ]) {
        const [event] = await received(member, params);
        expect(event?.audience, JSON.stringify(params)).to.deep.equal(ids(guest, member));
      }
      const [alone] = await received(member, { to: [member.id] });
      expect(alone?.audience).to.deep.equal([member.id]);
    });

    it("contains the visible addresses", async () => {
      const shy = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
      const [event] = await received(shy, { to: [org.member.id] });
      expect(event?.payload["sender"]).to.deep.equal(person(shy));
      expect(JSON.stringify(event?.payload)).not.to.include(shy.deliveryEmail);
    });

    it("sends events to accounts that enable them", async () => {
      await changeSettings(db, org.guest, { receives_typing_notifications: false });
      const [event] = await received(org.member, { to: [org.guest.id, org.admin.id] });
      expect(event?.audience).to.deep.equal(ids(org.member, org.admin));
      expect(event?.payload["recipients"]).to.have.length(3);
      await changeSettings(db, org.member, { receives_typing_notifications: false });
      expect(await received(org.member, { to: [org.guest.id] })).to.deep.equal([]);
    });

    it("sends no event to guests who do not see every participant, until there is a message", async () => {
      await changeOrganization(db, org.realm, {
        canAccessAllUsersGroupId: org.groups["role:members"],
      });
      const hidden = await user(db, org.realm);
      const params = { op: "start", to: [org.guest.id, hidden.id] };
      const audienceOf = async () => (await received(org.member, params)).map((e) => e.audience);
      expect(await audienceOf()).to.deep.equal([ids(org.member, hidden)]);
      await gateway
        .as(org.member)
        .succeed(sendMessage, { params: { type: "direct", to: params.to, content: "Hello" } });
      expect(await audienceOf()).to.deep.equal([ids(org.member, hidden, org.guest)]);
    });

    it("refuses recipients whom the caller could not message", async () => {
      const gone = await user(db, org.realm, { isActive: false });
      const other = await organization(db);
      for (const to of [[], [gone.id], [other.member.id], [2_000_000_000], 2_000_000_000, -1])
        await refuses(org.member, { to });
      await changeOrganization(db, org.realm, {
        directMessagePermissionGroupId: org.groups["role:nobody"],
      });
      await refuses(org.member, { to: [org.guest.id] });
      expect(await received(org.member, { to: [org.bot.id] })).to.have.length(1);
    });

    it("refuses callers who disable typing notifications", async () => {
      await changeSettings(db, org.member, { send_private_typing_notifications: false });
      await refuses(org.member, { to: [org.guest.id] });
      expect(await received(org.member, inRoom())).to.have.length(1);
    });
  });

  describe("channels", () => {
    it("sends an event to subscribers, including the sender", async () => {
      const [event, ...others] = await received(org.member, inRoom());
      expect(others).to.deep.equal([]);
      expect(event).to.deep.include({
        type: "typing",
        op: "start",
        audience: ids(org.member, org.guest, org.bot),
        payload: {
          message_type: "stream",
          sender: person(org.member),
          stream_id: room.id,
          topic: "lunch",
        },
      });
    });

    it("accepts the legacy type name and normalizes the topic like a message", async () => {
      const [event] = await received(org.member, inRoom({ type: "stream", topic: " (no topic) " }));
      expect(event?.payload["topic"]).to.equal("");
    });

    it("sends events to active subscribers that enable them only", async () => {
      const gone = await user(db, org.realm);
      await subscribe(db, room, gone);
      await db.rows("UPDATE users SET is_active = false WHERE id = $1", [gone.id]);
      await db.rows("UPDATE subscriptions SET is_user_active = false WHERE user_id = $1", [
        gone.id,
      ]);
      await changeSettings(db, org.guest, { receives_typing_notifications: false });
      // An account that may post without a subscription.
      const [event] = await received(org.admin, inRoom());
      expect(event?.audience).to.deep.equal(ids(org.member, org.bot));
    });

    it("sends no events for more than a hundred subscribers", async () => {
      await db.rows("UPDATE channels SET subscriber_count = 101 WHERE id = $1", [room.id]);
      expect(await received(org.member, inRoom())).to.deep.equal([]);
      await db.rows("UPDATE channels SET subscriber_count = 100 WHERE id = $1", [room.id]);
      expect(await received(org.member, inRoom())).to.have.length(1);
    });

    it("refuses channels to which the caller could not send", async () => {
      const closed = await channel(db, org.owner, { inviteOnly: true, subscribers: [org.owner] });
      const announcements = await channel(db, org.owner, {
        subscribers: [org.member],
        groups: { canSendMessageGroupId: org.groups["role:administrators"] },
      });
      const archived = await channel(db, org.owner, {
        subscribers: [org.member],
        isArchived: true,
      });
      const open = await channel(db, org.owner);
      for (const { id } of [closed, announcements, archived])
        await refuses(org.member, inRoom({ stream_id: id }));
      await refuses(org.guest, inRoom({ stream_id: open.id }));
      await refuses(org.member, inRoom({ topic: "a\u0001b" }));
      const other = await organization(db);
      const theirs = await channel(db, other.owner, { subscribers: [other.member] });
      for (const id of [theirs.id, 2_000_000_000])
        expect(
          await refuses(org.member, inRoom({ stream_id: id }), "STREAM_DOES_NOT_EXIST"),
        ).to.include({ stream_id: id });
    });

    it("refuses callers who disable typing notifications", async () => {
      await changeSettings(db, org.member, { send_stream_typing_notifications: false });
      await refuses(org.member, inRoom());
      expect(await received(org.member, { to: [org.guest.id] })).to.have.length(1);
    });
  });

  it("stores nothing", async () => {
    const rows = () =>
      db.rows("SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM recipients)");
    const before = await rows();
    await received(org.member, { to: [org.guest.id] });
    await received(org.member, inRoom());
    expect(await rows()).to.deep.equal(before);
  });

  it("sends nothing to other organizations", async () => {
    const other = await organization(db);
    const { events } = await eventsOf(db, other.realm.id, () => received(org.member, inRoom()));
    expect(events).to.deep.equal([]);
  });

  it("sends an event for every request", async () => {
    const say = () => call(org.member, { to: [org.guest.id] });
    const { events } = await eventsOf(db, org.realm.id, async () => {
      await say();
      await say();
      await Promise.all([say(), say()]);
    });
    expect(events.map(({ type, op }) => `${type}/${op}`)).to.deep.equal(
      Array(4).fill("typing/start"),
    );
  });

  it("requires authentication, and allows bots", async () => {
    const [direct] = await received(org.bot, { to: [org.member.id] });
    expect(direct?.audience).to.deep.equal(ids(org.bot, org.member));
    const [inChannel] = await received(org.bot, inRoom());
    expect(inChannel?.payload["sender"]).to.deep.equal(person(org.bot));
    await changeSettings(db, org.bot, { send_stream_typing_notifications: false });
    await refuses(org.bot, inRoom());
    await refused(db, () => gateway.anonymous.call(setTypingStatus), "UNAUTHORIZED");
  });

  it("refuses missing and malformed parameters", async () => {
    const to = [org.guest.id];
    const { member } = org;
    const odd: Params[] = [
      { op: "pause", to },
      { type: "both", to },
      { to: "guest@carillon.test" },
      { to: ["guest@carillon.test"] },
      { to: "[1.5]" },
      inRoom({ stream_id: "general" }),
    ];
    for (const params of odd) await refuses(member, params);
    const missing: Array<[string, Params]> = [
      ["op", { op: undefined, to }],
      ["to", {}],
      ["stream_id", inRoom({ stream_id: undefined })],
      ["topic", inRoom({ topic: undefined })],
    ];
    for (const [var_name, params] of missing)
      expect(await refuses(member, params, "REQUEST_VARIABLE_MISSING")).to.include({ var_name });
  });
});
