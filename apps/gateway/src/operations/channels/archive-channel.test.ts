import { archiveChannel, createChannel } from "@carillon/contract";
import {
  changeOrganization,
  channel,
  changesOf,
  countQueries,
  crowd,
  eventsOf,
  inChannel,
  type LoggedEvent,
  messagesOf,
  refused,
  type TestAccount,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("DELETE /streams/{stream_id}", () => {
  const scene = useScene();

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
  const withEvents = async (work: () => Promise<unknown>) =>
    (await eventsOf(scene.db, scene.org.realm.id, work)).events;
  const kinds = (events: readonly LoggedEvent[]) =>
    events.map(({ type, op }) => (op ? `${type}/${op}` : type));

  describe("archives", () => {
    it("and leaves other properties, subscriptions and permissions unchanged", async () => {
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

    it("for owners and administrators, including channels that they cannot read", async () => {
      for (const by of [scene.org.owner, scene.org.admin])
        for (const inviteOnly of [false, true]) {
          const room = await channel(scene.db, scene.org.realm, { inviteOnly });
          await archived(room, by);
          expect(await rowOf(room)).to.include({ isArchived: true });
        }
    });

    it("for members of can_administer_channel_group, subscribed or not, including bots", async () => {
      const { db, org } = scene;
      const group = await userGroup(db, org.realm, { members: [org.bot] });
      const groups = { canAdministerChannelGroupId: group.id };
      for (const inviteOnly of [false, true]) {
        await archived(await channel(db, org.member, { inviteOnly }), org.member);
        const room = await channel(db, org.realm, { inviteOnly, groups });
        await archived(room, org.bot);
      }
    });

    it("and writes an audit entry", async () => {
      const room = await channel(scene.db, scene.org.member);
      await archived(room, scene.org.member);
      const [entry] = await scene.db.rows<{ by: number; data: unknown }>(
        `SELECT acting_user_id AS by, extra_data AS data FROM audit_log
         WHERE realm_id = $1 AND event_type = 'channel_archived' ORDER BY id DESC LIMIT 1`,
        [scene.org.realm.id],
      );
      expect(entry).to.deep.equal({ by: scene.org.member.id, data: { channel_id: room.id } });
    });

    it("a default channel and removes it from the default channels", async () => {
      const { db, org } = scene;
      const other = await channel(db, org.realm, { isDefault: true });
      const room = await channel(db, org.realm, { isDefault: true });
      const events = await withEvents(() => archived(room));
      const [defaults, ...more] = events.filter(({ type }) => type === "default_streams");
      expect(more).to.deep.equal([]);
      expect(defaults?.payload).to.deep.equal({ default_streams: [other.id] });
      expect(defaults?.audience).to.include(org.member.id).and.not.include(org.guest.id);
      expect(await db.prisma.defaultChannel.count({ where: { channelId: room.id } })).to.equal(0);
    });

    it("the announcement channel, and posts no announcements there afterwards", async () => {
      const { db, org } = scene;
      const room = await channel(db, org.realm);
      const changed = { newStreamAnnouncementsChannelId: room.id };
      await changeOrganization(db, org.realm, changed);
      const events = await withEvents(() => archived(room));
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

    it("another channel without changing the organization's channel settings and default channels", async () => {
      const { db, org } = scene;
      const announcements = await channel(db, org.realm, { isDefault: true });
      const changed = { newStreamAnnouncementsChannelId: announcements.id };
      await changeOrganization(db, org.realm, changed);
      const room = await channel(db, org.realm);
      const events = await withEvents(() => archived(room));
      expect(kinds(events)).to.deep.equal(["message", "stream/update"]);
      const realm = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
      expect(realm.newStreamAnnouncementsChannelId).to.equal(announcements.id);
    });

    it("and keeps its name in use", async () => {
      const room = await channel(scene.db, scene.org.realm, { name: "Steeple" });
      await archived(room);
      const ask = () =>
        scene.as(scene.org.owner).call(createChannel, {
          params: { name: "STEEPLE", subscribers: [] },
        });
      await refused(scene.db, ask, "CHANNEL_ALREADY_EXISTS");
    });

    it("with the same number of statements for 500 subscribers as for two", async () => {
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
    it("as the channel's last message, unread for all but the caller", async () => {
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

    it("unless the organization has turned notices off", async () => {
      const { db, org } = scene;
      await changeOrganization(db, org.realm, { sendChannelEventsMessages: false });
      const events = await withEvents(async () => archived(await channel(db, org.realm)));
      await changeOrganization(db, org.realm, { sendChannelEventsMessages: true });
      expect(kinds(events)).to.deep.equal(["stream/update"]);
    });
  });
});
