import { getMessages } from "@carillon/contract";
import {
  changeChannel,
  channel,
  organization,
  refused,
  subscribe,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  userGroup,
  type ChannelOverrides,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { all, idsFor, post, setFlags, term, write } from "../../test-support/reading-messages.ts";

describe("GET /messages: searched messages", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;

  before(async () => {
    org = await organization(db);
  });

  /** A channel with one message that only its owner and the admin received. */
  const roomWithMessage = async (overrides: ChannelOverrides = {}) => {
    const room = await channel(db, org.realm, {
      subscribers: [org.owner, org.admin],
      ...overrides,
    });
    return { room, id: await post(gateway, org.owner, room) };
  };
  const unreadChannel = async (account: TestAccount, channelId: number) => {
    const params = {
      anchor: "5",
      num_before: 3,
      num_after: 3,
      narrow: [term("channel", channelId)],
    };
    const body = await gateway.as(account).succeed(getMessages, { params });
    expect(body).to.deep.include({
      messages: [],
      found_oldest: true,
      found_newest: true,
      found_anchor: false,
      anchor: 10_000_000_000_000_000,
    });
  };

  it("are those that the caller received, unless a term includes more", async () => {
    const { room, id } = await roomWithMessage();
    await subscribe(db, room, org.member);
    const later = await post(gateway, org.owner, room);
    expect(await idsFor(gateway, org.member))
      .to.include(later)
      .and.not.to.include(id);
    expect(await idsFor(gateway, org.member, [term("topic", "lunch")]))
      .to.include(later)
      .and.not.to.include(id);
    expect(await idsFor(gateway, org.member, [term("sender", org.owner.id)])).to.not.include(id);
  });

  it("are the whole history of a named public channel, except for guests", async () => {
    const { room, id } = await roomWithMessage();
    const narrow = [term("channel", room.id)];
    const { messages } = await all(gateway, org.member, narrow);
    expect(messages.map((message) => [message.id, message.flags])).to.deep.equal([
      [id, ["read", "historical"]],
    ]);
    await unreadChannel(org.guest, room.id);
    await subscribe(db, room, org.guest, org.member);
    const later = await post(gateway, org.owner, room);
    expect(await idsFor(gateway, org.guest, narrow)).to.deep.equal([id, later]);
    const both = await all(gateway, org.member, narrow);
    expect(both.messages.map(({ flags }) => flags)).to.deep.equal([["read", "historical"], []]);
  });

  it("are only received ones if a term asks about the caller's flags", async () => {
    const { room, id } = await roomWithMessage();
    const narrow = (...more: unknown[]) => [term("channel", room.id), ...more];
    for (const state of ["unread", "starred", "mentioned", "alerted", "followed", "muted"])
      expect(
        await idsFor(gateway, org.member, narrow(term("is", state, true))),
        state,
      ).to.deep.equal([]);
    expect(await idsFor(gateway, org.member, narrow(term("is", "resolved", true)))).to.deep.equal([
      id,
    ]);
    expect(await idsFor(gateway, org.member, narrow(term("in", "home")))).to.deep.equal([id]);
    expect(await idsFor(gateway, org.member, [term("channel", room.id, true)])).to.not.include(id);
  });

  it("include all public channels on request, except for guests", async () => {
    const open = await roomWithMessage();
    const web = await roomWithMessage({ isWebPublic: true });
    const shut = await roomWithMessage({ inviteOnly: true, historyPublicToSubscribers: true });
    const stranger = await organization(db);
    const foreign = await channel(db, stranger.realm, { subscribers: [stranger.owner] });
    const abroad = await post(gateway, stranger.owner, foreign);

    const ids = await idsFor(gateway, org.member, [term("channels", "public")]);
    expect(ids).to.include.members([open.id, web.id]).and.not.to.include.members([shut.id, abroad]);
    expect(ids).to.deep.equal(ids.toSorted((a, b) => a - b));
    expect(await idsFor(gateway, org.member, [term("channels", "web-public")])).to.deep.equal([
      web.id,
    ]);
    const params = {
      message_ids: [open.id, shut.id, abroad],
      narrow: [term("channels", "public")],
    };
    const picked = await gateway.as(org.member).succeed(getMessages, { params });
    expect(picked.messages.map(({ id }) => id)).to.deep.equal([open.id]);
    expect(
      await idsFor(gateway, org.member, [term("channels", "public"), term("id", abroad)]),
    ).to.deep.equal([]);
    expect(await idsFor(gateway, org.guest, [term("channels", "web-public")])).to.deep.equal([]);
    expect(await idsFor(gateway, org.guest, [term("channel", web.room.id)])).to.deep.equal([
      web.id,
    ]);
    expect(await idsFor(gateway, org.member, [term("channels", "public", true)])).to.not.include(
      open.id,
    );
  });

  it("are the newest ones across all public channels", async () => {
    const realm = await organization(db);
    const rooms = await Promise.all(
      Array.from({ length: 4 }, () => channel(db, realm.realm, { subscribers: [realm.owner] })),
    );
    const ids: number[] = [];
    for (let i = 0; i < 12; i++)
      ids.push(await post(gateway, realm.owner, rooms[(i * i) % 4] ?? 0, `topic ${i % 3}`));
    const page = async (params: object, ...narrow: unknown[]) => {
      const all = {
        narrow: [term("channels", "public"), ...narrow],
        num_before: 0,
        num_after: 0,
        ...params,
      };
      return (await gateway.as(realm.member).succeed(getMessages, { params: all })).messages.map(
        ({ id }) => id,
      );
    };
    expect(await page({ anchor: "newest", num_before: 3 })).to.deep.equal(ids.slice(-3));
    expect(await page({ anchor: "oldest", num_after: 5 })).to.deep.equal(ids.slice(0, 5));
    expect(await page({ anchor: String(ids[6]), num_before: 2, num_after: 2 })).to.deep.equal(
      ids.slice(4, 9),
    );
    const third = ids.filter((_, i) => i % 3 === 2);
    expect(await page({ anchor: "newest", num_before: 2 }, term("topic", "TOPIC 2"))).to.deep.equal(
      third.slice(-2),
    );
    expect(
      await page({ anchor: "newest", num_before: 9 }, term("sender", realm.member.id)),
    ).to.deep.equal([]);
    expect(
      await page({ anchor: "newest", num_before: 1 }, term("channel", rooms[1]?.id)),
    ).to.deep.equal(ids.slice(-1));
  });

  it("exclude private channels without the caller, whatever the role", async () => {
    const { room, id } = await roomWithMessage({
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [org.owner],
    });
    for (const account of [org.admin, org.moderator, org.member, org.guest, org.bot]) {
      await unreadChannel(account, room.id);
      expect(await idsFor(gateway, account, [term("id", id)])).to.deep.equal([]);
    }
    const params = { message_ids: [id], narrow: [term("channel", room.id)] };
    const byId = await gateway.as(org.admin).succeed(getMessages, { params });
    expect(byId)
      .to.deep.include({ messages: [], found_oldest: false, found_newest: false })
      .and.not.to.have.property("anchor");
  });

  it("are, with protected history, those sent while the caller was subscribed", async () => {
    const { room, id } = await roomWithMessage({ inviteOnly: true });
    await subscribe(db, room, org.member);
    const second = await post(gateway, org.owner, room);
    await unsubscribe(db, room, org.member);
    const third = await post(gateway, org.owner, room);
    await subscribe(db, room, org.member);
    const fourth = await post(gateway, org.owner, room);
    const narrow = [term("channel", room.id)];
    expect(await idsFor(gateway, org.member, narrow)).to.deep.equal([second, fourth]);
    expect(await idsFor(gateway, org.owner, narrow)).to.deep.equal([id, second, third, fourth]);
    expect(
      await idsFor(gateway, org.member, [...narrow, term("channels", "public")]),
    ).to.deep.equal([]);
  });

  it("exclude a private channel that the caller has left, and keep received messages of a public one", async () => {
    const shut = await channel(db, org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [org.owner, org.member, org.guest],
    });
    const open = await channel(db, org.realm, { subscribers: [org.owner, org.member, org.guest] });
    const secret = await post(gateway, org.owner, shut, "secret topic");
    const plain = await post(gateway, org.owner, open, "plain topic");
    await setFlags(db, org.member, 2, secret, plain);
    for (const room of [shut, open]) await unsubscribe(db, room, org.member, org.guest);
    for (const narrow of [
      [],
      [term("is", "starred")],
      [term("sender", org.owner.id)],
      [term("is", "unread")],
      [term("topic", "secret topic", true)],
    ])
      expect(await idsFor(gateway, org.member, narrow), JSON.stringify(narrow))
        .to.include(plain)
        .and.not.to.include(secret);
    expect(await idsFor(gateway, org.member, [term("topic", "secret topic")])).to.deep.equal([]);
    expect(await idsFor(gateway, org.member, [term("id", secret)])).to.deep.equal([]);
    expect(await idsFor(gateway, org.guest)).to.not.include.members([secret, plain]);
    const params = {
      anchor: "first_unread",
      num_before: 0,
      num_after: 0,
      narrow: [term("topic", "secret topic")],
    };
    expect((await gateway.as(org.member).succeed(getMessages, { params })).anchor).to.equal(
      10_000_000_000_000_000,
    );
  });

  it("include private channels for accounts that may subscribe themselves or others, but not for guests", async () => {
    const reader = await user(db, org.realm);
    const guest = await user(db, org.realm, { role: 600 });
    const team = await userGroup(db, org.realm, { members: [reader, guest] });
    const around = await userGroup(db, org.realm, { subgroups: [team.id] });
    for (const groups of [
      { canSubscribeGroupId: team.id },
      { canAddSubscribersGroupId: around.id },
    ]) {
      const shared = await roomWithMessage({
        inviteOnly: true,
        historyPublicToSubscribers: true,
        groups,
      });
      expect(await idsFor(gateway, reader, [term("channel", shared.room.id)])).to.deep.equal([
        shared.id,
      ]);
      await unreadChannel(guest, shared.room.id);
      const kept = await roomWithMessage({ inviteOnly: true, groups });
      expect(await idsFor(gateway, reader, [term("channel", kept.room.id)])).to.deep.equal([]);
      await subscribe(db, kept.room, reader);
      const received = await post(gateway, org.owner, kept.room);
      await unsubscribe(db, kept.room, reader);
      expect(await idsFor(gateway, reader, [term("channel", kept.room.id)])).to.deep.equal([
        received,
      ]);
      expect(await idsFor(gateway, reader)).to.include(received);
    }
  });

  it("include archived channels", async () => {
    const { room, id } = await roomWithMessage();
    await changeChannel(db, room, { isArchived: true });
    expect(await idsFor(gateway, org.member, [term("channel", room.id)])).to.deep.equal([id]);
    expect(await idsFor(gateway, org.admin, [term("channels", "archived")])).to.deep.equal([id]);
    expect(await idsFor(gateway, org.member, [term("channels", "archived")])).to.deep.equal([]);
    expect(
      await idsFor(gateway, org.member, [term("channels", "archived"), term("channels", "public")]),
    ).to.deep.equal([id]);
  });

  it("include direct messages for their participants only", async () => {
    const secret = await write(gateway, org.admin, [org.moderator]);
    for (const account of [org.owner, org.member, org.bot]) {
      expect(await idsFor(gateway, account)).to.not.include(secret);
      expect(
        await idsFor(gateway, account, [term("dm", [org.admin.id, org.moderator.id])]),
      ).to.deep.equal([]);
      expect(
        await idsFor(gateway, account, [term("id", secret), term("channels", "public")]),
      ).to.deep.equal([]);
      expect(
        await idsFor(gateway, account, [term("sender", org.admin.id), term("is", "dm")]),
      ).to.deep.equal([]);
    }
    expect(await idsFor(gateway, org.moderator, [term("dm", [org.admin.id])])).to.deep.equal([
      secret,
    ]);
  });

  it("are none for a new bot, which follows the same rules", async () => {
    const { room, id } = await roomWithMessage();
    const fresh = (await organization(db)).bot;
    expect(await idsFor(gateway, fresh)).to.deep.equal([]);
    expect(await idsFor(gateway, org.bot, [term("channel", room.id)])).to.deep.equal([id]);
  });

  it("stay within the organization", async () => {
    const stranger = await organization(db);
    const foreign = await channel(db, stranger.realm, {
      name: "Foreign",
      isWebPublic: true,
      subscribers: [stranger.owner],
    });
    const id = await post(gateway, stranger.owner, foreign);
    for (const operand of [foreign.id, "Foreign"]) {
      const params = {
        anchor: "newest",
        num_before: 1,
        num_after: 0,
        narrow: [term("channel", operand)],
      };
      await refused(db, () => gateway.as(org.member).call(getMessages, { params }), "BAD_NARROW");
    }
    expect(await idsFor(gateway, org.member, [term("id", id)])).to.deep.equal([]);
    expect(await idsFor(gateway, org.member, [term("channels", "public")])).to.not.include(id);
  });
});
