import {
  getChannel,
  getChannelId,
  getSubscriptionStatus,
  listChannels,
  listSubscribers,
} from "@carillon/contract";
import {
  bot,
  channel,
  countQueries,
  deactivateUser,
  organization,
  refused,
  refusedAlike,
  subscribe,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Reading one channel", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  /** IDs of channels whose metadata a member may not see, and the same for a guest. */
  const unknown = async (whom: TestAccount) => {
    const rooms = [
      await channel(db, org.moderator, { inviteOnly: true }),
      await channel(db, org.admin, { isArchived: true, subscribers: [whom] }),
      await channel(db, other.admin, { subscribers: [other.member] }),
      ...(whom.role === 600 ? [await channel(db, org.admin)] : []),
    ];
    return [...rooms.map(({ id }) => id), 2_000_000_000, 0, 10 ** 15];
  };

  describe("GET /streams/{stream_id}", () => {
    const read = (by: TestAccount, id: number) =>
      gateway.as(by).call(getChannel, { path: { stream_id: id } });
    const seen = async (by: TestAccount, room: TestChannel) =>
      (await gateway.as(by).succeed(getChannel, { path: { stream_id: room.id } })).stream;

    it("returns the same object as the list of channels", async () => {
      const room = await channel(db, org.admin, { description: "Soup", subscribers: [org.guest] });
      const { streams } = await gateway.as(org.member).succeed(listChannels);
      const listed = streams.find(({ stream_id: id }) => id === room.id);
      expect(await seen(org.member, room)).to.deep.equal(listed);
      expect(listed).to.include({ name: room.name, subscriber_count: 1 });
      expect(await seen(org.guest, room)).to.deep.equal(listed);
      expect(await seen(org.bot, room)).to.deep.equal(listed);
    });

    it("allows all who may see the channel's metadata, including administrators for every channel", async () => {
      const room = await channel(db, org.moderator, { inviteOnly: true, subscribers: [org.guest] });
      for (const account of [org.owner, org.admin, org.moderator, org.guest])
        expect(await seen(account, room)).to.include({ stream_id: room.id, invite_only: true });
    });

    it("refuses hidden, archived and unknown channels with the same error", async () => {
      for (const account of [org.member, org.guest]) {
        await refusedAlike(db, await unknown(account), (id) => read(account, id));
      }
    });
  });

  describe("GET /get_stream_id", () => {
    const read = (by: TestAccount, stream?: string) =>
      gateway.as(by).call(getChannelId, { params: { stream } });

    it("finds a channel by its name in any case", async () => {
      const room = await channel(db, org.admin, { subscribers: [org.guest] });
      for (const account of [org.member, org.guest, org.bot]) {
        const { body } = await read(account, ` ${room.name.toUpperCase()} `);
        expect(body).to.deep.equal({ result: "success", msg: "", stream_id: room.id });
      }
    });

    it("allows readers of the channel, and refuses administrators who cannot read it", async () => {
      const room = await channel(db, org.moderator, { inviteOnly: true, subscribers: [org.guest] });
      expect((await read(org.guest, room.name)).status).to.equal(200);
      const archived = await channel(db, org.admin, { isArchived: true });
      const foreign = await channel(db, other.admin);
      for (const { name } of [room, archived, foreign]) {
        const words = (of: string) => refusedAlike(db, [of], (one) => read(org.admin, one));
        expect((await words(name)).replace(name, "nowhere")).to.equal(await words("nowhere"));
      }
    });

    it("requires the name", async () => {
      const fields = { var_name: "stream" };
      await refused(db, () => read(org.member), "REQUEST_VARIABLE_MISSING", fields);
    });
  });

  describe("GET /streams/{stream_id}/members", () => {
    const read = (by: TestAccount, id: number) =>
      gateway.as(by).call(listSubscribers, { path: { stream_id: id } });
    const members = async (by: TestAccount, room: TestChannel) =>
      (await gateway.as(by).succeed(listSubscribers, { path: { stream_id: room.id } })).subscribers;

    it("lists active subscribers, people and bots", async () => {
      const gone = await user(db, org.realm);
      const room = await channel(db, org.admin, {
        inviteOnly: true,
        subscribers: [gone, org.bot, org.guest, org.member],
      });
      await deactivateUser(db, gone);
      await unsubscribe(db, room, org.member);
      const expected = [org.guest.id, org.bot.id].sort((a, b) => a - b);
      expect(await members(org.guest, room)).to.deep.equal(expected);
      expect(await members(org.owner, room)).to.deep.equal(expected);
      expect(await members(org.admin, await channel(db, org.admin))).to.deep.equal([]);
    });

    it("refuses hidden, archived and unknown channels with the same error", async () => {
      for (const account of [org.member, org.guest]) {
        await refusedAlike(db, await unknown(account), (id) => read(account, id));
      }
    });

    it("runs the same number of statements for any number of subscribers", async () => {
      const room = await channel(db, org.admin);
      const count = async () => (await countQueries(db, () => members(org.member, room))).count;
      const none = await count();
      await subscribe(db, room, org.owner, org.admin, org.guest, org.bot);
      expect(await count()).to.equal(none);
    });
  });

  describe("GET /users/{user_id}/subscriptions/{stream_id}", () => {
    const read = (by: TestAccount, user_id: number, stream_id: number) =>
      gateway.as(by).call(getSubscriptionStatus, { path: { user_id, stream_id } });
    const subscribed = async (by: TestAccount, whom: TestAccount, room: TestChannel) => {
      const path = { user_id: whom.id, stream_id: room.id };
      return (await gateway.as(by).succeed(getSubscriptionStatus, { path })).is_subscribed;
    };

    it("returns whether an account is subscribed, and false for deactivated accounts", async () => {
      const robot = await bot(db, org.member);
      const gone = await user(db, org.realm);
      const room = await channel(db, org.admin, { subscribers: [org.guest, robot, gone] });
      await deactivateUser(db, gone);
      expect(await subscribed(org.member, org.guest, room)).to.equal(true);
      expect(await subscribed(org.guest, robot, room)).to.equal(true);
      expect(await subscribed(org.member, org.member, room)).to.equal(false);
      expect(await subscribed(org.owner, gone, room)).to.equal(false);
      await unsubscribe(db, room, robot);
      expect(await subscribed(org.owner, robot, room)).to.equal(false);
    });

    it("refuses hidden, archived and unknown channels with the same error", async () => {
      for (const account of [org.member, org.guest]) {
        await refusedAlike(db, await unknown(account), (id) => read(account, account.id, id));
      }
    });

    it("refuses accounts that are unknown or of another organization", async () => {
      const room = await channel(db, org.admin);
      const accounts = [other.member.id, 2_000_000_000, 0, 10 ** 15];
      await refusedAlike(db, accounts, (id) => read(org.member, id, room.id));
    });
  });

  it("requires authentication", async () => {
    const room = await channel(db, org.admin);
    for (const path of [`streams/${room.id}`, `streams/${room.id}/members`, "get_stream_id"])
      await refused(db, () => gateway.anonymous.get(`/api/v1/${path}`), "UNAUTHORIZED", {});
  });
});
