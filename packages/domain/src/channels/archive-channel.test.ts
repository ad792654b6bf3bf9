import { emit } from "@carillon/events";
import {
  changesOf,
  changeSubscription,
  channel,
  countQueries,
  crowd,
  deactivateUser,
  eventsOf,
  inChannel,
  kindsOf,
  messagesOf,
  type TestAccount,
  type ReceivedEvent,
  type TestChannel,
  user,
  userGroup,
  useScene,
  watch,
} from "@carillon/testkit";
import { ApiError } from "@carillon/contract";
import { expect } from "chai";

import { openChannel } from "./open-channel.ts";
import { unarchiveChannel } from "./archive-channel.ts";

const able = { client_capabilities: { archived_channels: true } };

describe("Unarchiving a channel (channels.md §8)", () => {
  const scene = useScene();

  const unarchive = ({ id }: { id: number }, by: TestAccount = scene.org.owner) =>
    scene.db.transaction(async (tx) => {
      const { realm, actor, channel: locked } = await openChannel(tx, by, id, "shared");
      emit(tx, realm.id, await unarchiveChannel(tx, realm, actor, locked));
    });
  const rowOf = ({ id }: { id: number }) =>
    scene.db.prisma.channel.findUniqueOrThrow({ where: { id } });
  const refuses = async (room: TestChannel) => {
    const { result, tables } = await changesOf(scene.db, () =>
      unarchive(room).catch((error: unknown) => error),
    );
    expect(result).to.be.instanceOf(ApiError).and.include({ code: "BAD_REQUEST" });
    expect(tables).to.deep.equal([]);
  };

  it("restores everything except the channel's place among the default channels", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, { subscribers: [org.guest], isArchived: true });
    const before = await rowOf(room);
    const { tables } = await changesOf(db, () => unarchive(room, org.member));
    const { firstMessageId, ...after } = await rowOf(room);
    expect(firstMessageId, "the notice").not.to.equal(null);
    expect({ ...after, firstMessageId: null }).to.deep.equal({ ...before, isArchived: false });
    expect(tables).to.include("audit_log").and.not.include("default_channels");
    expect(tables).not.to.include("subscriptions");
  });

  it("posts a notice after the channel is back, unread for everyone except the actor", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, {
      subscribers: [org.guest, org.member],
      isArchived: true,
    });
    const { events } = await eventsOf(db, org.realm.id, () => unarchive(room, org.member));
    expect(events.at(-1)?.type).to.equal("message");
    const [notice] = await messagesOf(scene.as(org.guest), inChannel(room.id));
    expect(notice?.content).to.equal(
      `@_**${org.member.fullName}|${org.member.id}** brought this channel back from the archive.`,
    );
    expect(notice?.flags).to.deep.equal([]);
    const [own] = await messagesOf(scene.as(org.member), inChannel(room.id));
    expect(own?.flags).to.deep.equal(["read"]);
  });

  it("is an update event for clients with archived_channels", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, { subscribers: [org.guest], isArchived: true });
    const queues = {
      subscriber: { account: org.guest, params: able },
      other: { account: org.bot, params: able },
    };
    const received = await watch(scene.gateway, queues, () => unarchive(room));
    expect(kindsOf(received.subscriber)).to.deep.equal(["stream/update", "message"]);
    for (const [{ id: _id, ...event } = { id: 0 }] of [received.subscriber, received.other])
      expect(event).to.deep.equal({
        type: "stream",
        op: "update",
        stream_id: room.id,
        name: room.name,
        property: "is_archived",
        value: false,
      });
    expect(received.other).to.have.length(1);
  });

  it("is a new channel for other clients, with their subscription or the list of subscribers", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, {
      subscribers: [org.guest, org.moderator],
      isArchived: true,
    });
    await changeSubscription(db, room.id, org.moderator, { isMuted: true, color: "#123456" });
    const queues = {
      guest: { account: org.guest },
      moderator: { account: org.moderator },
      other: { account: org.bot },
    };
    const received = await watch(scene.gateway, queues, () => unarchive(room));
    const subscribers = [org.guest.id, org.moderator.id].toSorted((a, b) => a - b);
    for (const events of [received.guest, received.moderator])
      expect(kindsOf(events)).to.deep.equal(["stream/create", "subscription/add", "message"]);
    expect(kindsOf(received.other)).to.deep.equal(["stream/create", "subscription/peer_add"]);
    const first = (event: ReceivedEvent | undefined, list: string) =>
      (event?.[list] as ReadonlyArray<Record<string, unknown>> | undefined)?.[0];
    for (const events of Object.values(received)) {
      const created = first(events[0], "streams");
      expect(created).to.include({ stream_id: room.id, is_archived: false, subscriber_count: 0 });
    }
    expect(received.other[1]).to.deep.include({ stream_ids: [room.id], user_ids: subscribers });
    expect(first(received.moderator[1], "subscriptions")).to.deep.include({
      stream_id: room.id,
      subscribers,
      subscriber_count: 2,
      is_muted: true,
      in_home_view: false,
      color: "#123456",
      desktop_notifications: false,
    });
    expect(first(received.guest[1], "subscriptions")).to.include({ is_muted: false });
  });

  it("of a private channel sends events only to accounts that can see it", async () => {
    const { db, org } = scene;
    const holder = await user(db, org.realm);
    const group = await userGroup(db, org.realm, { members: [holder] });
    const room = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [org.guest],
      groups: { canAddSubscribersGroupId: group.id },
      isArchived: true,
    });
    const { events } = await eventsOf(db, org.realm.id, () => unarchive(room));
    const [update, added, peers, notice] = events;
    expect(events).to.have.length(4);
    expect(update?.audience).to.have.members(
      [org.owner, org.admin, org.guest, holder].map(({ id }) => id),
    );
    expect(added?.audience).to.deep.equal([org.guest.id]);
    expect(peers?.audience).to.have.members([org.owner.id, org.admin.id, holder.id]);
    expect(notice?.audience).to.deep.equal([org.guest.id]);
  });

  it("keeps a permission set to a group that was deactivated meanwhile, including its members", async () => {
    const { db, org } = scene;
    const group = await userGroup(db, org.realm, { members: [org.moderator] });
    const room = await channel(db, org.realm, {
      groups: { canAdministerChannelGroupId: group.id },
      isArchived: true,
    });
    await db.rows("UPDATE named_user_group SET deactivated = true WHERE id = $1", [group.id]);
    await unarchive(room, org.moderator);
    expect(await rowOf(room)).to.include({
      isArchived: false,
      canAdministerChannelGroupId: group.id,
    });
  });

  it("does not count subscribers who were deactivated meanwhile", async () => {
    const { db, org } = scene;
    const [deactivated, left] = [await user(db, org.realm), await user(db, org.realm)];
    const room = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [deactivated, left],
      isArchived: true,
    });
    await deactivateUser(db, deactivated);
    const { events } = await eventsOf(db, org.realm.id, () => unarchive(room));
    expect(events.find(({ op }) => op === "add")?.audience).to.deep.equal([left.id]);
    expect((await rowOf(room)).subscriberCount).to.equal(1);
  });

  it("is rejected for channels that are not archived", async () => {
    await refuses(await channel(scene.db, scene.org.realm));
  });

  it("is rejected for private channels without active subscribers", async () => {
    const { db, org } = scene;
    const options = { inviteOnly: true, isArchived: true };
    await refuses(await channel(db, org.realm, options));
    const deactivated = await user(db, org.realm);
    const left = await channel(db, org.realm, { ...options, subscribers: [deactivated] });
    await deactivateUser(db, deactivated);
    await refuses(left);
    await unarchive(await channel(db, org.realm, { isArchived: true }));
  });

  it("uses as many statements for 1,200 subscribers as for two", async () => {
    const { db, org } = scene;
    const subscribers = [org.member, org.guest];
    const small = await channel(db, org.realm, { subscribers, isArchived: true });
    const people = await crowd(db, org.member, 1_200);
    const large = await channel(db, org.realm, { subscribers: people, isArchived: true });
    const few = await countQueries(db, () => unarchive(small));
    const many = await countQueries(db, () => unarchive(large));
    expect(many.count, many.statements.join("\n")).to.equal(few.count);
    expect((await rowOf(large)).subscriberCount).to.equal(1_200);
  });
});
