import {
  archiveChannel,
  createChannel,
  getChannel,
  listChannels,
  type ChannelObject,
} from "@carillon/contract";
import {
  changeChannel,
  changeOrganization,
  channel,
  channelMessage,
  changesOf,
  countQueries,
  crowd,
  deliverNow,
  eventsOf,
  failsWithNotice,
  inChannel,
  kindsOf,
  type LoggedEvent,
  messagesOf,
  organization,
  refused,
  schedule,
  scheduleRefused,
  sendRefused,
  storedRow,
  subscribe,
  type TestAccount,
  type TestChannel,
  toChannel,
  useGateway,
  user,
  userGroup,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

const able = { client_capabilities: { archived_channels: true } };

describe("DELETE /streams/{stream_id}", () => {
  const scene = useScene();
  const second = useGateway(scene.db);

  const at = (id: number) => ({ path: { stream_id: id } });
  const archive = (room: { id: number }, by: TestAccount = scene.org.owner) =>
    scene.as(by).call(archiveChannel, at(room.id));
  const archived = async (room: { id: number }, by?: TestAccount) => {
    const { status, body } = await archive(room, by);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.deep.equal({ result: "success", msg: "" });
  };
  const rowOf = ({ id }: { id: number }) =>
    scene.db.prisma.channel.findUniqueOrThrow({ where: { id } });
  const refuses = (room: { id: number }, by: TestAccount, code?: string) =>
    refused(scene.db, () => archive(room, by), code, {});
  const toldOf = async (work: () => Promise<unknown>) =>
    (await eventsOf(scene.db, scene.org.realm.id, work)).events;
  const kinds = (events: readonly LoggedEvent[]) =>
    events.map(({ type, op }) => (op ? `${type}/${op}` : type));

  describe("archives", () => {
    it("and changes nothing else of the channel, its subscriptions and its permissions", async () => {
      const { db, org } = scene;
      const folder = await db.prisma.channelFolder.create({
        data: { realmId: org.realm.id, name: "Attic" },
      });
      const room = await channel(db, org.member, {
        subscribers: [org.member, org.guest],
        folderId: folder.id,
        description: "old things",
      });
      await changeOrganization(db, org.realm, { sendChannelEventsMessages: false });
      const before = await rowOf(room);
      const { tables } = await changesOf(db, () => archived(room));
      await changeOrganization(db, org.realm, { sendChannelEventsMessages: true });
      expect(await rowOf(room)).to.deep.equal({ ...before, isArchived: true });
      expect(tables).to.have.members(["audit_log", "channels", "event_head", "event_log"]);
    });

    it("for owners and administrators, of channels that they cannot read too", async () => {
      for (const by of [scene.org.owner, scene.org.admin])
        for (const inviteOnly of [false, true]) {
          const room = await channel(scene.db, scene.org.realm, { inviteOnly });
          await archived(room, by);
          expect(await rowOf(room)).to.include({ isArchived: true });
        }
    });

    it("for those who hold can_administer_channel_group, subscribed or not, bots among them", async () => {
      const { db, org } = scene;
      const group = await userGroup(db, org.realm, { members: [org.bot] });
      const groups = { canAdministerChannelGroupId: group.id };
      for (const inviteOnly of [false, true]) {
        await archived(await channel(db, org.member, { inviteOnly }), org.member);
        const room = await channel(db, org.realm, { inviteOnly, groups });
        await archived(room, org.bot);
      }
    });

    it("and writes down who did it", async () => {
      const room = await channel(scene.db, scene.org.member);
      await archived(room, scene.org.member);
      const [entry] = await scene.db.rows<{ by: number; data: unknown }>(
        `SELECT acting_user_id AS by, extra_data AS data FROM audit_log
         WHERE realm_id = $1 AND event_type = 'channel_archived' ORDER BY id DESC LIMIT 1`,
        [scene.org.realm.id],
      );
      expect(entry).to.deep.equal({ by: scene.org.member.id, data: { channel_id: room.id } });
    });

    it("a default channel, which is none any more", async () => {
      const { db, org } = scene;
      const other = await channel(db, org.realm, { isDefault: true });
      const room = await channel(db, org.realm, { isDefault: true });
      const events = await toldOf(() => archived(room));
      const [defaults, ...more] = events.filter(({ type }) => type === "default_streams");
      expect(more).to.deep.equal([]);
      expect(defaults?.payload).to.deep.equal({ default_streams: [other.id] });
      expect(defaults?.audience).to.include(org.member.id).and.not.include(org.guest.id);
      expect(await db.prisma.defaultChannel.count({ where: { channelId: room.id } })).to.equal(0);
    });

    it("the channel of announcements, and announces nothing in it any more", async () => {
      const { db, org } = scene;
      const room = await channel(db, org.realm);
      const changed = { newStreamAnnouncementsChannelId: room.id };
      await changeOrganization(db, org.realm, changed);
      const events = await toldOf(() => archived(room));
      expect(events.filter(({ type }) => type === "realm")).to.containSubset([
        {
          op: "update_dict",
          payload: { property: "default", data: { new_stream_announcements_stream_id: -1 } },
          audience: null,
        },
      ]);
      const realm = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
      expect(realm.newStreamAnnouncementsChannelId).to.equal(null);
    });

    it("another channel, and leaves those settings and the default channels alone", async () => {
      const { db, org } = scene;
      const announcements = await channel(db, org.realm, { isDefault: true });
      const changed = { newStreamAnnouncementsChannelId: announcements.id };
      await changeOrganization(db, org.realm, changed);
      const room = await channel(db, org.realm);
      const events = await toldOf(() => archived(room));
      expect(kinds(events)).to.deep.equal(["message", "stream/update"]);
      const realm = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
      expect(realm.newStreamAnnouncementsChannelId).to.equal(announcements.id);
    });

    it("and keeps its name taken", async () => {
      const room = await channel(scene.db, scene.org.realm, { name: "Steeple" });
      await archived(room);
      const ask = () =>
        scene.as(scene.org.owner).call(createChannel, {
          params: { name: "STEEPLE", subscribers: [] },
        });
      await refused(scene.db, ask, "CHANNEL_ALREADY_EXISTS", {}, 409);
    });

    it("with as many statements for 500 subscribers as for two", async () => {
      const { db, org } = scene;
      const small = await channel(db, org.realm, { subscribers: [org.member, org.guest] });
      const people = await crowd(db, org.member, 500);
      const large = await channel(db, org.realm, { subscribers: people });
      const few = await countQueries(db, () => archived(small));
      const many = await countQueries(db, () => archived(large));
      expect(many.count, many.statements.join("\n")).to.equal(few.count);
    });
  });

  describe("posts a notice", () => {
    it("that is the channel's last message, unread for all but who did it", async () => {
      const { db, org } = scene;
      const room = await channel(db, org.member, { subscribers: [org.member, org.guest] });
      await archived(room, org.member);
      const read = async (by: TestAccount) => messagesOf(scene.as(by), inChannel(room.id));
      const [notice, ...more] = await read(org.guest);
      expect(more).to.deep.equal([]);
      expect(notice).to.deep.include({
        sender_id: org.notificationBot.id,
        subject: "channel events",
        content: `@_**${org.member.fullName}|${org.member.id}** archived this channel.`,
        flags: [],
      });
      expect((await read(org.member))[0]?.flags).to.deep.equal(["read"]);
    });

    it("unless the organization wants none", async () => {
      const { db, org } = scene;
      await changeOrganization(db, org.realm, { sendChannelEventsMessages: false });
      const events = await toldOf(async () => archived(await channel(db, org.realm)));
      await changeOrganization(db, org.realm, { sendChannelEventsMessages: true });
      expect(kinds(events)).to.deep.equal(["stream/update"]);
    });
  });

  describe("tells", () => {
    const update = (room: TestChannel) => ({
      type: "stream",
      op: "update",
      stream_id: room.id,
      name: room.name,
      property: "is_archived",
      value: true,
    });
    const gone = ({ id }: TestChannel) => ({
      type: "stream",
      op: "delete",
      stream_ids: [id],
      streams: [{ stream_id: id }],
    });

    it("clients that know archived channels, and takes it away from the others, after the notice", async () => {
      const { db, org } = scene;
      const room = await channel(db, org.member, { subscribers: [org.guest] });
      const told = await watch(
        scene.gateway,
        {
          able: { account: org.guest, params: able },
          older: { account: org.guest },
          outside: { account: org.bot },
        },
        () => archived(room),
      );
      const withoutId = ({ id: _id, ...event }: { id: number }) => event;
      expect(kindsOf(told.able)).to.deep.equal(["message", "stream/update"]);
      expect(told.able.slice(1).map(withoutId)).to.deep.equal([update(room)]);
      expect(kindsOf(told.older)).to.deep.equal(["message", "stream/delete"]);
      expect(told.older.slice(1).map(withoutId)).to.deep.equal([gone(room)]);
      expect(told.outside.map(withoutId)).to.deep.equal([gone(room)]);
    });

    const audienceOf = async (room: TestChannel, by?: TestAccount) => {
      const events = await toldOf(() => archived(room, by));
      return events.find(({ type }) => type === "stream")?.audience;
    };

    it("of a public channel everybody but guests who are not subscribed", async () => {
      const { db, org } = scene;
      const inside = await user(db, org.realm, { role: 600 });
      const audience = await audienceOf(await channel(db, org.realm, { subscribers: [inside] }));
      expect(audience).to.include.members([org.owner.id, org.member.id, org.bot.id, inside.id]);
      expect(audience).not.to.include(org.guest.id);
    });

    it("of a private channel its subscribers, administrators and those whom its groups let see it", async () => {
      const { db, org } = scene;
      const own = await organization(db);
      const [holder, gone] = [await user(db, own.realm), await user(db, own.realm)];
      const members = [holder, own.guest, gone];
      const group = await userGroup(db, own.realm, { members });
      const room = await channel(db, own.realm, {
        inviteOnly: true,
        subscribers: [own.moderator, gone],
        groups: { canSubscribeGroupId: group.id },
      });
      await db.prisma.user.update({ where: { id: gone.id }, data: { isActive: false } });
      await db.prisma.subscription.updateMany({
        where: { userId: gone.id },
        data: { isUserActive: false },
      });
      const { events } = await eventsOf(db, own.realm.id, () =>
        scene.as(own.admin).succeed(archiveChannel, at(room.id)),
      );
      expect(events.find(({ type }) => type === "stream")?.audience).to.have.members(
        [own.owner, own.admin, own.moderator, holder].map(({ id }) => id),
      );
      expect(events.find(({ type }) => type === "message")?.audience).to.deep.equal([
        own.moderator.id,
      ]);
      expect(org.realm.id).not.to.equal(own.realm.id);
    });

    it("of a web-public channel everybody", async () => {
      const { db, org } = scene;
      const audience = await audienceOf(await channel(db, org.realm, { isWebPublic: true }));
      expect(audience).to.include.members([org.guest.id, org.member.id]);
    });
  });

  describe("refuses", () => {
    it("those who may read the channel and not administer it", async () => {
      const { db, org } = scene;
      const holders = await userGroup(db, org.realm, { members: [org.guest] });
      const room = await channel(db, org.realm, {
        subscribers: [org.guest],
        groups: { canAdministerChannelGroupId: holders.id },
      });
      // A guest holds nothing that not everybody may be given, even by name.
      for (const by of [org.moderator, org.member, org.bot, org.guest])
        await refuses(room, by, "CANNOT_ADMINISTER_CHANNEL");
      const secret = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.member] });
      await refuses(secret, org.member, "CANNOT_ADMINISTER_CHANNEL");
    });

    it("channels that the caller cannot read, of others and unknown ones, all alike", async () => {
      const { db, org } = scene;
      const other = await organization(db);
      const foreign = await channel(db, other.realm);
      const secret = await channel(db, org.realm, { inviteOnly: true });
      const open = await channel(db, org.realm);
      const bodies = [
        await refuses(secret, org.moderator),
        await refuses(open, org.guest),
        await refuses(foreign, org.owner),
        await refuses({ id: 0 }, org.owner),
        await refuses({ id: 2_000_000_000 }, org.owner),
        await refuses({ id: 10 ** 15 }, org.owner),
      ];
      for (const body of bodies) expect(body).to.deep.equal(bodies[0]);
    });

    it("a channel that is archived already, whoever asks", async () => {
      const { db, org } = scene;
      const room = await channel(db, org.member, { isArchived: true });
      await refuses(room, org.owner);
      await refuses(room, org.member);
      await refuses(room, org.moderator, "CANNOT_ADMINISTER_CHANNEL");
    });

    it("all but one of those who ask at once, in two gateways", async () => {
      const room = await channel(scene.db, scene.org.member);
      const askers = [scene.org.owner, scene.org.admin, scene.org.member];
      const answers = await Promise.all(
        askers.flatMap((by) =>
          [scene.gateway, second].map((gateway) =>
            gateway.as(by).call(archiveChannel, at(room.id)),
          ),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      expect(answers.filter(({ status }) => status === 400)).to.have.length(5);
    });
  });

  describe("leaves an archived channel", () => {
    let room: TestChannel;
    before(async () => {
      const { db, org } = scene;
      room = await channel(db, org.member, { subscribers: [org.member, org.guest] });
      await archived(room);
    });

    it("listed for who asks for archived ones, with its subscribers", async () => {
      const { streams } = await scene.as(scene.org.member).succeed(listChannels, {
        params: { exclude_archived: false },
      });
      const found = streams.find((each: ChannelObject) => each.stream_id === room.id);
      expect(found).to.include({ is_archived: true, subscriber_count: 2, name: room.name });
      await refused(scene.db, () => scene.as(scene.org.member).call(getChannel, at(room.id)));
    });

    it("in the snapshots of clients that know what it is, and in no others", async () => {
      const snapshot = async (params: object) => {
        const client = scene.as(scene.org.member);
        const { body } = await client.post("/api/v1/register", {
          fetch_event_types: ["stream", "subscription"],
          ...params,
        });
        const lists = ["streams", "subscriptions"].map((name) => body[name] as ChannelObject[]);
        return lists.map((list) => list.some(({ stream_id }) => stream_id === room.id));
      };
      expect(await snapshot(able)).to.deep.equal([true, true]);
      expect(await snapshot({})).to.deep.equal([false, false]);
    });

    it("without new messages: nothing is sent, scheduled or typed there, nor by its administrators", async () => {
      const { org, db } = scene;
      await subscribe(db, room.id, org.owner);
      for (const by of [org.member, org.guest, org.owner]) {
        await sendRefused(scene, by, toChannel(room.id));
        await sendRefused(scene, by, toChannel(room.name));
        await scheduleRefused(scene, by, channelMessage(room.id));
        const typing = { type: "channel", op: "start", stream_id: room.id, topic: "lunch" };
        await refused(db, () => scene.as(by).post("/api/v1/typing", typing));
      }
    });
  });

  it("lets what was scheduled before fail when it is due, and its sender know why", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, { subscribers: [org.member] });
    const id = await schedule(scene.as(org.member), channelMessage(room.id));
    await archived(room);
    const row = await failsWithNotice(scene, org.member, id);
    expect(row.failureMessage).to.contain("archived");
  });

  it("lets what was scheduled before be delivered when the channel is back in time", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, { subscribers: [org.member] });
    const id = await schedule(scene.as(org.member), channelMessage(room.id));
    await archived(room);
    await changeChannel(db, room.id, { isArchived: false });
    await deliverNow(db, org.realm, [id]);
    expect(await storedRow(db, id)).to.include({ delivered: true, failed: false });
  });
});
