import { type GroupSettingValue, channelPermissions } from "@carillon/contract";
import {
  channel,
  kindsOf,
  patchedChannel,
  shownChannel,
  unique,
  user,
  userGroup,
  useScene,
  watch,
  type ChannelOverrides,
  type ChannelPatch,
  type TestAccount,
  type ToldEvent,
} from "@carillon/testkit";
import { expect } from "chai";

/** Without what every event has. */
const fields = ({ id: _id, type: _type, op: _op, ...rest }: ToldEvent) => rest;

// channels.md §5, events.md §4, as it leaves GET /events.
describe("PATCH /streams/{stream_id}: events", () => {
  const scene = useScene({ row: { enableSpectatorAccess: true } });
  let everybody: Record<string, TestAccount>;
  /** Sees private channels by a group of theirs. */
  let holder: TestAccount;
  let group: { id: number };
  let otherGuest: TestAccount;
  before(async () => {
    const { db, org } = scene;
    const { owner, admin, moderator, member, guest, bot } = org;
    holder = await user(db, org.realm);
    group = await userGroup(db, org.realm, { members: [holder] });
    otherGuest = await user(db, org.realm, { role: 600 });
    const stranger = await user(db, org.realm);
    everybody = { owner, admin, moderator, member, guest, bot, holder, stranger, otherGuest };
  });

  /** A channel of nobody's, with the owner, a member and a guest subscribed. */
  const room = (overrides?: ChannelOverrides) =>
    channel(scene.db, scene.org.realm, {
      subscribers: [scene.org.owner, scene.org.member, scene.org.guest],
      ...overrides,
    });
  const types = ["stream", "subscription", "default_streams", "user_topic"];
  /** What is told of the change, by who is told, those left out who are told nothing. */
  async function told(
    id: number,
    params: ChannelPatch,
    by: TestAccount = scene.org.owner,
    capabilities: Record<string, boolean> = { archived_channels: true },
  ): Promise<Record<string, ToldEvent[]>> {
    const queues = Object.fromEntries(
      Object.entries(everybody).map(([name, account]) => [
        name,
        { account, params: { event_types: types, client_capabilities: capabilities } },
      ]),
    );
    const all = await watch(scene.gateway, queues, () => patchedChannel(scene, id, params, by));
    return Object.fromEntries(Object.entries(all).filter(([, events]) => events.length > 0));
  }
  const kinds = (all: Record<string, ToldEvent[]>) =>
    Object.fromEntries(Object.entries(all).map(([name, events]) => [name, kindsOf(events)]));
  /** The channels of the first event, which shows them. */
  const shownIn = (events: ToldEvent[] = []) =>
    (events[0]?.["streams"] ?? []) as Array<Record<string, unknown>>;
  /** The same for each of the names. */
  const each = <T>(names: readonly string[], value: T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, value]));

  const nonGuests = ["owner", "admin", "moderator", "member", "bot", "holder", "stranger"];
  const ofOpen = [...nonGuests, "guest"];
  const ofClosed = ["owner", "admin", "member", "guest"];
  const all = [...ofOpen, "otherGuest"];

  describe("of one property", () => {
    it("of the name have the old one as its name", async () => {
      const { id } = await room({ name: "Old tower" });
      const seen = await told(id, { new_name: "New tower" });
      expect(Object.keys(seen)).to.have.members(ofOpen);
      for (const events of Object.values(seen))
        expect(events.map(fields)).to.deep.equal([
          { stream_id: id, name: "Old tower", property: "name", value: "New tower" },
        ]);
    });

    it("of the description have its HTML", async () => {
      const { id, name } = await room();
      const { admin } = await told(id, { description: "**loud**" });
      expect(admin?.map(fields)).to.deep.equal([
        {
          stream_id: id,
          name,
          property: "description",
          value: "**loud**",
          rendered_description: "<p><strong>loud</strong></p>",
        },
      ]);
    });

    it("of others have the value as it is shown", async () => {
      const { db, org } = scene;
      const folder = await db.prisma.channelFolder.create({
        data: { realmId: org.realm.id, name: "Bells" },
      });
      const { id, name } = await room();
      const changes: ReadonlyArray<readonly [ChannelPatch, string, unknown]> = [
        [{ folder_id: folder.id }, "folder_id", folder.id],
        [{ folder_id: null }, "folder_id", null],
        [{ message_retention_days: 8 }, "message_retention_days", 8],
        [{ message_retention_days: "unlimited" }, "message_retention_days", -1],
        [{ message_retention_days: "realm_default" }, "message_retention_days", null],
        [{ topics_policy: "disable_empty_topic" }, "topics_policy", "disable_empty_topic"],
      ];
      for (const [params, property, value] of changes) {
        const seen = await told(id, params);
        expect(Object.keys(seen)).to.have.members(ofOpen);
        expect(seen["member"]?.map(fields)).to.deep.equal([
          { stream_id: id, name, property, value },
        ]);
      }
    });

    it("of permissions have the value in the form of answers", async () => {
      const { id, name } = await room();
      const { owner, member, groups } = { ...scene.org };
      const set = {
        direct_members: [owner.id, member.id].sort((a, b) => a - b),
        direct_subgroups: [groups["role:moderators"]],
      };
      for (const { name: property } of Object.values(channelPermissions)) {
        if (property === "can_send_message_group") continue;
        for (const value of [group.id, set] as GroupSettingValue[]) {
          const seen = await told(id, { [property]: { new: value } });
          expect(Object.keys(seen), property).to.have.members(ofOpen);
          expect(seen["guest"]?.map(fields)).to.deep.equal([
            { stream_id: id, name, property, value },
          ]);
        }
      }
    });

    it("of who may send messages tell older clients, where it is another for them", async () => {
      const { id } = await room();
      const { groups } = scene.org;
      const send = async (value: number) => {
        const { member } = await told(id, { can_send_message_group: { new: value } });
        return member?.map(({ property, value: now }) => [property, now]);
      };
      const admins = groups["role:administrators"];
      expect(await send(admins)).to.deep.equal([
        ["can_send_message_group", admins],
        ["stream_post_policy", 2],
        ["is_announcement_only", true],
      ]);
      const moderators = groups["role:moderators"];
      expect(await send(moderators)).to.deep.equal([
        ["can_send_message_group", moderators],
        ["stream_post_policy", 4],
        ["is_announcement_only", false],
      ]);
      expect((await send(group.id))?.map(([property]) => property)).to.deep.equal([
        "can_send_message_group",
        "stream_post_policy",
        "is_announcement_only",
      ]);
      expect(await send(groups["role:everyone"])).to.deep.equal([
        ["can_send_message_group", groups["role:everyone"]],
      ]);
    });

    it("of a default channel tell everybody but guests of all default channels", async () => {
      const first = await room({ isDefault: true });
      const { id } = await room();
      const on = await told(id, { is_default_stream: true });
      expect(kinds(on)).to.deep.equal(each(nonGuests, ["default_streams"]));
      expect(on["member"]?.[0]?.["default_streams"]).to.include.members([first.id, id]);
      const off = await told(id, { is_default_stream: false });
      expect(off["member"]?.[0]?.["default_streams"]).to.include(first.id).and.not.include(id);
    });
  });

  it("are one for each property of a request, the name last, and none for what stays", async () => {
    const { id, name, description } = await room();
    const seen = await told(id, {
      description,
      is_web_public: false,
      new_name: "Several",
      topics_policy: "allow_empty_topic",
      message_retention_days: 5,
      can_resolve_topics_group: { new: scene.org.groups["role:members"] },
    });
    expect(seen["member"]?.map((event) => [event["property"], event["name"]])).to.deep.equal([
      ["can_resolve_topics_group", name],
      ["message_retention_days", name],
      ["topics_policy", name],
      ["name", name],
    ]);
  });

  it("of a private channel go to its subscribers, administrators and those whom its groups let see it", async () => {
    for (const permission of ["canAdministerChannelGroupId", "canSubscribeGroupId"] as const) {
      const { id } = await room({ inviteOnly: true, groups: { [permission]: group.id } });
      const seen = await told(id, { description: "for few" });
      expect(kinds(seen)).to.deep.equal(each([...ofClosed, "holder"], ["stream/update"]));
    }
  });

  it("of a web-public channel go to everybody", async () => {
    const { id } = await room({ isWebPublic: true });
    expect(kinds(await told(id, { description: "for all" }))).to.deep.equal(
      each(all, ["stream/update"]),
    );
  });

  describe("of a privacy", () => {
    const update = (event: ToldEvent | undefined) => event && fields(event);

    it("that lets others see the channel show it to them, with who is subscribed", async () => {
      const { id, name } = await room({ inviteOnly: true });
      const seen = await told(id, { is_private: false });
      expect(kinds(seen)).to.deep.equal({
        ...each(ofClosed, ["stream/update"]),
        ...each(
          ["moderator", "bot", "holder", "stranger"],
          ["stream/create", "subscription/peer_add"],
        ),
      });
      expect(update(seen["guest"]?.[0])).to.deep.equal({
        stream_id: id,
        name,
        property: "invite_only",
        value: false,
        history_public_to_subscribers: true,
        is_web_public: false,
      });
      const [shown, peers] = seen["stranger"] ?? [];
      const { is_default: _default, ...now } = await shownChannel(scene, id);
      // Clients count those who are told as peers, and get the first message as one.
      const initial = { subscriber_count: 0, first_message_id: null };
      expect(shown?.["streams"]).to.deep.equal([{ ...now, ...initial }]);
      const { owner, member, guest } = scene.org;
      expect(peers && fields(peers)).to.deep.equal({
        stream_ids: [id],
        user_ids: [owner.id, member.id, guest.id].sort((a, b) => a - b),
      });
    });

    it("that hides the channel takes it from who is not subscribed, and tells the others", async () => {
      const { id } = await room();
      const seen = await told(id, { is_private: true });
      expect(kinds(seen)).to.deep.equal({
        ...each(ofClosed, ["stream/update"]),
        ...each(["moderator", "bot", "holder", "stranger"], ["stream/delete"]),
      });
      expect(update(seen["stranger"]?.[0])).to.deep.equal({
        stream_ids: [id],
        streams: [{ stream_id: id }],
      });
      expect(seen["admin"]?.[0]).to.include({
        property: "invite_only",
        value: true,
        history_public_to_subscribers: false,
      });
    });

    it("leaves it with those whom its groups let see it", async () => {
      const { id } = await room({ groups: { canAddSubscribersGroupId: group.id } });
      const hidden = await told(id, { is_private: true });
      expect(kinds(hidden)["holder"]).to.deep.equal(["stream/update"]);
      const open = await told(id, { is_private: false });
      expect(kinds(open)["holder"]).to.deep.equal(["stream/update"]);
    });

    it("for the web shows it to guests, and takes it from them again", async () => {
      const { id } = await room();
      const shown = await told(id, { is_web_public: true });
      expect(kinds(shown)).to.deep.equal({
        ...each(ofOpen, ["stream/update"]),
        otherGuest: ["stream/create", "subscription/peer_add"],
      });
      const hidden = await told(id, { is_web_public: false });
      expect(kinds(hidden)).to.deep.equal({
        ...each(ofOpen, ["stream/update"]),
        otherGuest: ["stream/delete"],
      });
    });

    it("of the history alone is told to those who see the channel", async () => {
      const { id } = await room({ inviteOnly: true });
      const seen = await told(id, { history_public_to_subscribers: true });
      expect(kinds(seen)).to.deep.equal(each(ofClosed, ["stream/update"]));
      expect(seen["guest"]?.[0]).to.include({
        property: "invite_only",
        value: true,
        history_public_to_subscribers: true,
        is_web_public: false,
      });
    });

    it("shows a channel without subscribers without any", async () => {
      const { owner } = scene.org;
      const { id } = await room({
        inviteOnly: true,
        subscribers: [],
        groups: { canSubscribeGroupId: scene.org.groups["role:owners"] },
      });
      const seen = await told(id, { is_private: false }, owner);
      expect(kinds(seen)["stranger"]).to.deep.equal(["stream/create"]);
    });

    it("shows a channel as it is after all changes of the request", async () => {
      const { id } = await room({ inviteOnly: true, name: "Under wraps" });
      const seen = await told(id, { is_private: false, new_name: "Unwrapped", description: "!" });
      const [created] = shownIn(seen["stranger"]);
      expect(created).to.include({ name: "Unwrapped", description: "!", invite_only: false });
      expect(kinds(seen)["stranger"]).to.deep.equal(["stream/create", "subscription/peer_add"]);
    });

    it("takes a channel away before the list of defaults has it no more", async () => {
      const { id } = await room({ isDefault: true });
      const seen = await told(id, { is_private: true, is_default_stream: false });
      expect(kinds(seen)["stranger"]).to.deep.equal(["stream/delete", "default_streams"]);
      expect(kinds(seen)["member"]).to.deep.equal(["stream/update", "default_streams"]);
    });
  });

  describe("of permissions that show a private channel", () => {
    const showing = [
      "can_administer_channel_group",
      "can_add_subscribers_group",
      "can_subscribe_group",
    ] as const;

    for (const permission of showing)
      it(`${permission}: show it to those who get them, and take it from those who lose them`, async () => {
        const { groups } = scene.org;
        const { id, name } = await room({ inviteOnly: true });
        const given = await told(id, { [permission]: { new: group.id } });
        expect(kinds(given)).to.deep.equal({
          ...each(ofClosed, ["stream/update"]),
          holder: ["stream/create", "subscription/peer_add"],
        });
        expect(given["guest"]?.map(fields)).to.deep.equal([
          { stream_id: id, name, property: permission, value: group.id },
        ]);
        const [shown] = shownIn(given["holder"]);
        expect(shown?.[permission]).to.equal(group.id);
        const moved = await told(id, { [permission]: { new: groups["role:moderators"] } });
        expect(kinds(moved)).to.deep.equal({
          ...each(ofClosed, ["stream/update"]),
          moderator: ["stream/create", "subscription/peer_add"],
          holder: ["stream/delete"],
        });
        const set = { direct_members: [otherGuest.id], direct_subgroups: [] };
        const nobody = await told(id, { [permission]: { new: set } });
        // A guest gets nothing by it.
        expect(kinds(nobody)).to.deep.equal({
          ...each(ofClosed, ["stream/update"]),
          moderator: ["stream/delete"],
        });
      });

    it("are told to those who keep seeing it by another", async () => {
      const { id } = await room({
        inviteOnly: true,
        groups: { canSubscribeGroupId: group.id, canAddSubscribersGroupId: group.id },
      });
      const nobody = { new: scene.org.groups["role:nobody"] };
      const seen = await told(id, { can_subscribe_group: nobody });
      expect(kinds(seen)["holder"]).to.deep.equal(["stream/update"]);
      const last = await told(id, { can_add_subscribers_group: nobody });
      expect(kinds(last)["holder"]).to.deep.equal(["stream/delete"]);
    });

    it("and are but told where everybody sees the channel anyhow", async () => {
      const { id } = await room();
      for (const permission of showing) {
        const seen = await told(id, { [permission]: { new: group.id } });
        expect(kinds(seen)).to.deep.equal(each(ofOpen, ["stream/update"]));
      }
    });
  });

  describe("of archived channels", () => {
    it("are told to clients that know what these are", async () => {
      const { id } = await room({ isArchived: true });
      const seen = await told(id, { description: "put away" });
      expect(kinds(seen)).to.deep.equal(each(ofOpen, ["stream/update"]));
    });

    it("are told to no others, whoever sees the channel by now", async () => {
      const { id } = await room({ isArchived: true });
      for (const params of [
        { description: "away" },
        { is_private: true },
        { is_private: false },
        { can_send_message_group: { new: scene.org.groups["role:owners"] } },
      ])
        expect(await told(id, params, scene.org.owner, {}), JSON.stringify(params)).to.deep.equal(
          {},
        );
    });
  });

  describe("of a channel that comes back from the archive, and is changed besides", () => {
    const called = unique("back");
    const back = {
      is_archived: false,
      is_private: false,
      new_name: called,
      is_default_stream: true,
    };
    const hidden = () => room({ inviteOnly: true, isArchived: true });

    it("tell clients that know archived channels of each", async () => {
      const { id, name } = await hidden();
      const seen = await told(id, back);
      const properties = (events: ToldEvent[] = []) =>
        events.map(({ type, op, property }) => property ?? `${type}/${op ?? ""}`);
      expect(properties(seen["admin"])).to.deep.equal([
        "invite_only",
        "name",
        "is_archived",
        "default_streams/",
      ]);
      expect(seen["admin"]?.map((event) => event["name"])).to.deep.equal([
        name,
        name,
        called,
        undefined,
      ]);
      expect(properties(seen["stranger"])).to.deep.equal([
        "stream/create",
        "subscription/peer_add",
        "is_archived",
        "default_streams/",
      ]);
      await patchedChannel(scene, id, { new_name: name });
    });

    it("give it to others as it is then, once", async () => {
      const { id } = await hidden();
      const seen = await told(id, back, scene.org.owner, {});
      const shown = ["stream/create", "subscription/peer_add", "default_streams"];
      const own = ["stream/create", "subscription/add"];
      expect(kinds(seen)).to.deep.equal({
        ...each(["admin", "moderator", "bot", "holder", "stranger"], shown),
        ...each(["owner", "member"], [...own, "default_streams"]),
        guest: own,
      });
      const [object] = shownIn(seen["stranger"]);
      expect(object).to.include({ name: called, invite_only: false, is_archived: false });
    });
  });

  it("go to nobody who is deactivated", async () => {
    const { db, org } = scene;
    const gone = await user(db, org.realm);
    const { id } = await room({ inviteOnly: true, subscribers: [org.owner, gone] });
    await db.rows("UPDATE users SET is_active = false WHERE id = $1", [gone.id]);
    await db.rows("UPDATE subscriptions SET is_user_active = false WHERE user_id = $1", [gone.id]);
    await patchedChannel(scene, id, { description: "without them" }, org.owner);
    const [{ audience } = { audience: [] }] = await db.rows<{ audience: number[] }>(
      "SELECT audience FROM event_log WHERE type = 'stream' ORDER BY seq DESC LIMIT 1",
    );
    expect(audience).to.include(org.owner.id).and.not.include(gone.id);
  });
});
