import { listChannels, listSubscriptions, type InputOf } from "@carillon/contract";
import {
  changeChannel,
  changeSubscription,
  channel,
  organization,
  refused,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof listChannels>]?: unknown };

describe("Reading channels", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let stranger: TestOrganization;
  const rooms = {} as Record<"open" | "web" | "closed" | "mine" | "old" | "granted", TestChannel>;
  before(async () => {
    org = await organization(db);
    stranger = await organization(db);
    await channel(db, stranger.member, { name: "theirs" });
    const make = async (
      name: keyof typeof rooms,
      overrides: Parameters<typeof channel>[2] = {},
    ) => {
      rooms[name] = await channel(db, org.owner, { name, creator: null, ...overrides });
    };
    await make("open");
    await make("web", { isWebPublic: true });
    await make("closed", { inviteOnly: true });
    await make("mine", { inviteOnly: true, subscribers: [org.member, org.guest] });
    await make("old", { subscribers: [org.member], isArchived: true });
    await make("granted", {
      inviteOnly: true,
      groups: { canSubscribeGroupId: org.groups["role:members"] },
    });
  });

  const names = async (by: TestAccount, params: Params = {}) => {
    const { streams } = await gateway.as(by).succeed(listChannels, { params });
    return streams.map(({ name }) => name);
  };

  it("lists public and subscribed channels sorted by name", async () => {
    expect(await names(org.member)).to.deep.equal(["mine", "open", "web"]);
    expect(await names(org.owner)).to.deep.equal(["open", "web"]);
    expect(await names(stranger.member)).to.deep.equal(["theirs"]);
  });

  it("lists subscribed channels for guests, and web-public ones on request", async () => {
    expect(await names(org.guest)).to.deep.equal(["mine"]);
    expect(await names(org.guest, { include_web_public: true })).to.deep.equal(["mine", "web"]);
    expect(await names(org.guest, { include_all: true })).to.deep.equal(["mine", "web"]);
  });

  it("lists each set of channels that can be requested", async () => {
    const none = { include_public: false, include_subscribed: false };
    expect(await names(org.member, none)).to.deep.equal([]);
    expect(await names(org.member, { include_public: false })).to.deep.equal(["mine"]);
    expect(await names(org.member, { include_subscribed: false })).to.deep.equal(["open", "web"]);
    expect(await names(org.member, { ...none, include_web_public: true })).to.deep.equal(["web"]);
    expect(await names(org.member, { exclude_archived: false })).to.include("old");
    expect(await names(org.member, { ...none, include_can_access_content: true })).to.deep.equal([
      "granted",
      "mine",
      "open",
      "web",
    ]);
    expect(await names(org.admin, { ...none, include_can_access_content: true })).to.include(
      "granted",
    );
    expect(await names(org.admin, { ...none, include_can_access_content: true })).not.to.include(
      "closed",
    );
  });

  it("lists all channels with visible metadata under both names of the parameter", async () => {
    const all = ["closed", "granted", "mine", "open", "web"];
    expect(await names(org.admin, { include_all: true })).to.deep.equal(all);
    const older = await gateway.as(org.admin).get("/api/v1/streams", { include_all_active: true });
    expect(older.body["streams"]).to.have.length(all.length);
    expect(older.body).not.to.have.property("ignored_parameters_unsupported");
    const both = { include_all_active: true, include_all: true };
    const ask = () => gateway.as(org.admin).get("/api/v1/streams", both);
    await refused(db, ask, "REQUEST_CONFUSING_VAR");
    const helper = await user(db, org.realm);
    const own = await channel(db, helper, { name: "private to helper", inviteOnly: true });
    expect(await names(helper, { include_all: true })).to.include(own.name);
    expect(await names(org.member, { include_all: true })).not.to.include(own.name);
  });

  it("lists the channels of a bot's owner for the bot", async () => {
    expect(await names(org.bot)).not.to.include("mine");
    expect(await names(org.bot, { include_owner_subscribed: true })).to.include("mine");
    expect(await names(org.member, { include_owner_subscribed: true })).to.include("mine");
  });

  it("marks default channels on request", async () => {
    const given = await channel(db, org.owner, { name: "zeroth", isDefault: true });
    const { streams } = await gateway
      .as(org.member)
      .succeed(listChannels, { params: { include_default: true } });
    const defaults = Object.fromEntries(streams.map((each) => [each.name, each.is_default]));
    expect(defaults).to.deep.include({ [given.name]: true, open: false });
    const plain = await gateway.as(org.member).succeed(listChannels);
    for (const each of plain.streams) expect(each).not.to.have.property("is_default");
  });

  it("excludes deactivated accounts from permissions and counts", async () => {
    const gone = await user(db, org.realm);
    const room = await channel(db, gone, { name: "left behind", subscribers: [gone, org.member] });
    await db.rows("UPDATE users SET is_active = false WHERE id = $1", [gone.id]);
    const { streams } = await gateway.as(org.member).succeed(listChannels);
    expect(streams.find(({ stream_id }) => stream_id === room.id)).to.deep.include({
      can_administer_channel_group: { direct_members: [], direct_subgroups: [] },
    });
  });

  for (const [name, value] of [
    ["include_public", "1"],
    ["include_all", "yes"],
    ["exclude_archived", "null"],
  ] as const) {
    it(`refuses ${name} = ${value}`, async () => {
      const params = { [name]: value };
      await refused(db, () => gateway.as(org.member).get("/api/v1/streams", params));
    });
  }

  describe("the caller's subscriptions", () => {
    it("are the active channels with the subscription's settings", async () => {
      const account = await user(db, org.realm);
      const room = await channel(db, org.admin, { name: "b room", subscribers: [account] });
      const quiet = await channel(db, org.admin, {
        name: "A room",
        subscribers: [account, org.guest],
      });
      const archived = await channel(db, org.admin, { subscribers: [account] });
      await changeChannel(db, archived, { isArchived: true });
      await changeSubscription(db, quiet, account, {
        isMuted: true,
        pinToTop: true,
        pushNotifications: false,
        color: "#112233",
      });
      const answer = await gateway.as(account).succeed(listSubscriptions);
      const made = [room.id, quiet.id, archived.id];
      const subscriptions = answer.subscriptions.filter((each) => made.includes(each.stream_id));
      expect(subscriptions.map(({ stream_id }) => stream_id)).to.deep.equal([quiet.id, room.id]);
      expect(subscriptions[0]).to.include({
        name: quiet.name,
        is_muted: true,
        in_home_view: false,
        pin_to_top: true,
        push_notifications: false,
        email_notifications: null,
        color: "#112233",
        subscriber_count: 2,
      });
      expect(subscriptions[0]).not.to.have.property("subscribers");
      expect(subscriptions[1]).to.include({ is_muted: false, in_home_view: true });
    });

    it("list only recently active subscribers of large channels if a partial list is requested", async () => {
      const [here, away, reader] = [
        await user(db, org.realm),
        await user(db, org.realm),
        await user(db, org.realm),
      ];
      const large = await channel(db, org.realm, {
        subscribers: [here, away, org.bot, reader],
        row: { subscriberCount: 250 },
      });
      const small = await channel(db, org.realm, { subscribers: [reader, away] });
      await db.rows(
        `INSERT INTO user_presence (user_id, realm_id, active_at)
         VALUES ($1, $3, now() - interval '1 day'), ($2, $3, now() - interval '1 month')`,
        [here.id, away.id, org.realm.id],
      );
      const ids = (...accounts: TestAccount[]) =>
        accounts.map(({ id }) => id).sort((a, b) => a - b);
      const lists = async (include_subscribers: unknown) => {
        const { subscriptions } = await gateway
          .as(reader)
          .succeed(listSubscriptions, { params: { include_subscribers } });
        return [large, small].map((room) => {
          const own = subscriptions.find(({ stream_id }) => stream_id === room.id);
          return [own?.subscribers, own?.partial_subscribers];
        });
      };
      expect(await lists("partial")).to.deep.equal([
        [undefined, ids(here, org.bot)],
        [ids(reader, away), undefined],
      ]);
      expect(await lists(true)).to.deep.equal([
        [ids(here, away, org.bot, reader), undefined],
        [ids(reader, away), undefined],
      ]);
      expect(await lists(false)).to.deep.equal([
        [undefined, undefined],
        [undefined, undefined],
      ]);
    });

    it("list the subscribers with every value of the parameter", async () => {
      const expected = [org.member.id, org.guest.id].sort((a, b) => a - b);
      for (const include_subscribers of ["true", "partial", '"partial"']) {
        const { subscriptions } = await gateway
          .as(org.guest)
          .succeed(listSubscriptions, { params: { include_subscribers } });
        const own = subscriptions.find(({ stream_id }) => stream_id === rooms.mine.id);
        expect(own?.subscribers).to.deep.equal(expected);
      }
      const ask = { include_subscribers: "some" };
      await refused(db, () => gateway.as(org.guest).get("/api/v1/users/me/subscriptions", ask));
    });
  });
});
