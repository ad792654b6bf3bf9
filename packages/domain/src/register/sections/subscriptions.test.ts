import {
  listChannels,
  listSubscriptions,
  type ChannelObject,
  type SubscriptionObject,
} from "@carillon/contract";
import {
  bot,
  changeSettings,
  changeSubscription,
  channel,
  deactivateUser,
  organization,
  subscribe,
  unsubscribe,
  useDatabase,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { fieldsOf, statementsOf, type Wanted } from "../test-support.ts";
import type { SubscriberFields } from "../../channels/list-subscriptions.ts";
import { channels, subscriptions } from "./subscriptions.ts";

type Lists = Readonly<{
  subscriptions: ReadonlyArray<SubscriptionObject & SubscriberFields>;
  unsubscribed: ReadonlyArray<SubscriptionObject & SubscriberFields>;
  never_subscribed: ReadonlyArray<ChannelObject & SubscriberFields>;
}>;

describe("the channels of a snapshot", () => {
  const db = useDatabase();
  let org: TestOrganization;
  const rooms = {} as Record<
    "open" | "web" | "closed" | "mine" | "left" | "gone" | "old",
    TestChannel
  >;

  before(async () => {
    org = await organization(db);
    const stranger = await organization(db);
    await channel(db, stranger.owner, { name: "theirs", isWebPublic: true });
    const make = async (
      name: keyof typeof rooms,
      overrides: Parameters<typeof channel>[2] = {},
    ) => {
      rooms[name] = await channel(db, org.realm, { name, ...overrides });
    };
    const everyday = [org.member, org.guest];
    await make("open", { subscribers: [org.owner] });
    await make("web", { isWebPublic: true });
    await make("closed", { inviteOnly: true, subscribers: [org.owner] });
    await make("mine", { inviteOnly: true, subscribers: everyday });
    await make("left", { subscribers: everyday });
    await make("gone", { inviteOnly: true, subscribers: [...everyday, org.owner] });
    await make("old", { subscribers: everyday, isArchived: true });
    await unsubscribe(db, rooms.left, ...everyday);
    await unsubscribe(db, rooms.gone, ...everyday);
  });

  const listsOf = async (account: TestAccount, wanted: Wanted = {}) =>
    (await fieldsOf(db, subscriptions, account, wanted)) as Lists;
  const namesOf = async (account: TestAccount, wanted: Wanted = {}) => {
    const lists = await listsOf(account, wanted);
    return Object.values(lists).map((list) => list.map(({ name }) => name));
  };
  const streamsOf = async (account: TestAccount, wanted: Wanted = {}) => {
    const { streams } = await fieldsOf(db, channels, account, wanted);
    return (streams as readonly ChannelObject[]).map(({ name }) => name);
  };
  /** Returns the account's subscription to one channel. */
  const own = async (account: TestAccount, room: TestChannel, wanted: Wanted = {}) =>
    (await listsOf(account, wanted)).subscriptions.find(({ stream_id }) => stream_id === room.id);

  it("are in three lists, each sorted by name, without channels that the account cannot see", async () => {
    expect(await namesOf(org.member)).to.deep.equal([["mine"], ["left"], ["open", "web"]]);
    expect(await namesOf(org.guest)).to.deep.equal([["mine"], [], ["web"]]);
    expect(await namesOf(org.admin)).to.deep.equal([
      [],
      [],
      ["closed", "gone", "left", "mine", "open", "web"],
    ]);
    expect(await namesOf(org.bot)).to.deep.equal([[], [], ["left", "open", "web"]]);
  });

  it("are all in the section stream", async () => {
    expect(await streamsOf(org.member)).to.deep.equal(["left", "mine", "open", "web"]);
    expect(await streamsOf(org.guest)).to.deep.equal(["mine", "web"]);
    expect(await streamsOf(org.owner)).to.deep.equal([
      "closed",
      "gone",
      "left",
      "mine",
      "open",
      "web",
    ]);
  });

  it("include archived ones for clients with archived_channels", async () => {
    const wanted: Wanted = { capabilities: ["archived_channels"] };
    expect((await namesOf(org.guest, wanted))[0]).to.deep.equal(["mine", "old"]);
    expect(await streamsOf(org.member, wanted)).to.include("old");
    expect(await streamsOf(org.guest, wanted)).to.deep.equal(["mine", "old", "web"]);
    expect((await own(org.guest, rooms.old, wanted))?.is_archived).to.equal(true);
  });

  it("have exactly the fields of a channel or a subscription", async () => {
    for (const account of [org.member, org.guest, org.admin]) {
      const { never_subscribed, ...subscribed } = await listsOf(account);
      const { streams } = await fieldsOf(db, channels, account);
      for (const list of Object.values(subscribed))
        listSubscriptions.result.subscriptions.parse(list);
      listChannels.result.streams.parse(never_subscribed);
      listChannels.result.streams.parse(streams);
    }
  });

  it("include private channels that groups give the account access to", async () => {
    const inside = await user(db, org.realm);
    const helper = await user(db, org.realm);
    const granted = await channel(db, org.realm, {
      name: "opened to moderators",
      inviteOnly: true,
      subscribers: [inside],
      groups: { canSubscribeGroupId: org.groups["role:moderators"] },
    });
    const administered = await channel(db, helper, {
      name: "made by a member",
      inviteOnly: true,
      subscribers: [inside],
    });
    expect(await streamsOf(org.moderator)).to.include(granted.name);
    expect(await streamsOf(org.moderator)).not.to.include(administered.name);
    expect(await streamsOf(helper)).to.include(administered.name);
    expect(await streamsOf(helper)).not.to.include(granted.name);
    expect((await namesOf(inside))[0]).to.have.members([granted.name, administered.name]);
  });

  it("contain the account's settings, also of ended subscriptions", async () => {
    const account = await user(db, org.realm);
    const here = await channel(db, org.realm, { subscribers: [account] });
    const there = await channel(db, org.realm, { subscribers: [account] });
    const row = { isMuted: true, pinToTop: true, color: "#a1b2c3", pushNotifications: true };
    for (const room of [here, there]) await changeSubscription(db, room, account, row);
    await unsubscribe(db, there, account);
    const lists = await listsOf(account, { capabilities: ["notification_settings_null"] });
    for (const [subscription] of [lists.subscriptions, lists.unsubscribed])
      expect(subscription).to.include({
        is_muted: true,
        in_home_view: false,
        pin_to_top: true,
        color: "#a1b2c3",
        push_notifications: true,
        email_notifications: null,
      });
    await subscribe(db, there, account);
    expect((await own(account, there))?.color).to.equal("#a1b2c3");
  });

  describe("whose notification settings are inherited", () => {
    const kinds = ["desktop", "audible", "push", "email"] as const;
    const nothing = Object.fromEntries([
      ...kinds.map((kind) => [`${kind}_notifications`, null]),
      ["wildcard_mentions_notify", null],
    ]);
    const settings = {
      enable_stream_desktop_notifications: true,
      enable_stream_audible_notifications: true,
      enable_stream_push_notifications: true,
      enable_stream_email_notifications: true,
      wildcard_mentions_notify: false,
    };
    let account: TestAccount;
    let room: TestChannel;
    before(async () => {
      account = await user(db, org.realm);
      room = await channel(db, org.realm, { subscribers: [account] });
    });

    it("are null for clients with notification_settings_null", async () => {
      const wanted: Wanted = { capabilities: ["notification_settings_null"] };
      expect(await own(account, room, wanted)).to.deep.include(nothing);
    });

    it("are filled from the account's settings for other clients", async () => {
      expect(await own(account, room)).to.include({
        desktop_notifications: false,
        audible_notifications: false,
        push_notifications: false,
        email_notifications: false,
        wildcard_mentions_notify: true,
      });
      await changeSettings(db, account, settings);
      expect(await own(account, room)).to.include({
        desktop_notifications: true,
        audible_notifications: true,
        push_notifications: true,
        email_notifications: true,
        wildcard_mentions_notify: false,
      });
      await changeSubscription(db, room, account, { emailNotifications: false });
      expect(await own(account, room)).to.include({
        push_notifications: true,
        email_notifications: false,
      });
    });
  });

  describe("and their subscribers", () => {
    it("are left out unless requested", async () => {
      const lists = await listsOf(org.admin);
      for (const each of Object.values(lists).flat()) {
        expect(each).not.to.have.property("subscribers");
        expect(each).not.to.have.property("partial_subscribers");
      }
    });

    it("are the active accounts, ascending, in each list", async () => {
      const deactivated = await user(db, org.realm);
      const account = await user(db, org.realm);
      const crowd = [org.owner, deactivated, org.bot, org.guest];
      const here = await channel(db, org.realm, { subscribers: [...crowd, account] });
      const there = await channel(db, org.realm, { subscribers: [...crowd, account] });
      const elsewhere = await channel(db, org.realm, { subscribers: crowd });
      const nowhere = await channel(db, org.realm);
      await unsubscribe(db, there, account);
      await deactivateUser(db, deactivated);
      const ids = (...accounts: TestAccount[]) =>
        accounts.map(({ id }) => id).sort((a, b) => a - b);
      for (const includeSubscribers of [true, "partial"] as const) {
        const lists = await listsOf(account, { includeSubscribers });
        const of = (room: TestChannel) =>
          Object.values(lists)
            .flat()
            .find(({ stream_id }) => stream_id === room.id)?.subscribers;
        expect(of(here)).to.deep.equal(ids(org.owner, org.bot, org.guest, account));
        expect(of(there)).to.deep.equal(ids(org.owner, org.bot, org.guest));
        expect(of(elsewhere)).to.deep.equal(ids(org.owner, org.bot, org.guest));
        expect(of(nowhere)).to.deep.equal([]);
      }
    });

    it("are only recently present accounts in large channels if partial lists are requested", async () => {
      const large = await organization(db);
      const helper = await bot(db, large.member);
      const room = await channel(db, large.realm, {
        subscribers: [large.owner, large.member, large.guest, helper],
        row: { subscriberCount: 250 },
      });
      await db.rows(
        `INSERT INTO user_presence (user_id, realm_id, active_at)
         VALUES ($1, $3, now() - interval '1 day'), ($2, $3, now() - interval '1 month')`,
        [large.member.id, large.owner.id, large.realm.id],
      );
      const all = await own(large.member, room, { includeSubscribers: true });
      expect(all?.subscribers).to.have.length(4);
      const part = await own(large.member, room, { includeSubscribers: "partial" });
      expect(part?.partial_subscribers).to.deep.equal(
        [large.member.id, helper.id].sort((a, b) => a - b),
      );
      expect(part).not.to.have.property("subscribers");
    });
  });

  it("need the same number of statements however many there are", async () => {
    const busy = await organization(db);
    const statements = (includeSubscribers = false) =>
      statementsOf(db, [subscriptions, channels], busy.member, { includeSubscribers });
    await channel(db, busy.member, { subscribers: [busy.member] });
    const [plain, withSubscribers] = [await statements(), await statements(true)];
    for (const inviteOnly of [true, false])
      for (let n = 0; n < 5; n++)
        await channel(db, busy.member, { inviteOnly, subscribers: [busy.member, busy.guest] });
    expect(await statements()).to.equal(plain);
    expect(await statements(true)).to.equal(withSubscribers);
    expect(withSubscribers).to.equal(plain + 1);
    expect(plain).to.be.at.most(4);
  });
});
