import { archiveChannel } from "@carillon/contract";
import {
  channel,
  eventsOf,
  kindsOf,
  organization,
  type TestAccount,
  type TestChannel,
  user,
  userGroup,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

const able = { client_capabilities: { archived_channels: true } };

describe("DELETE /streams/{stream_id}: events", () => {
  const scene = useScene();

  const at = (id: number) => ({ path: { stream_id: id } });
  const archived = (room: { id: number }, by: TestAccount = scene.org.owner) =>
    scene.as(by).succeed(archiveChannel, at(room.id));
  const withEvents = async (work: () => Promise<unknown>) =>
    (await eventsOf(scene.db, scene.org.realm.id, work)).events;

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

  it("update the channel for clients that know archived channels and delete it for others, after the notice", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, { subscribers: [org.guest] });
    const received = await watch(
      scene.gateway,
      {
        able: { account: org.guest, params: able },
        older: { account: org.guest },
        outside: { account: org.bot },
      },
      () => archived(room),
    );
    const withoutId = ({ id: _id, ...event }: { id: number }) => event;
    expect(kindsOf(received.able)).to.deep.equal(["message", "stream/update"]);
    expect(received.able.slice(1).map(withoutId)).to.deep.equal([update(room)]);
    expect(kindsOf(received.older)).to.deep.equal(["message", "stream/delete"]);
    expect(received.older.slice(1).map(withoutId)).to.deep.equal([gone(room)]);
    expect(received.outside.map(withoutId)).to.deep.equal([gone(room)]);
  });

  const audienceOf = async (room: TestChannel, by?: TestAccount) => {
    const events = await withEvents(() => archived(room, by));
    return events.find(({ type }) => type === "stream")?.audience;
  };

  it("of a public channel are sent to all accounts but guests who are not subscribed", async () => {
    const { db, org } = scene;
    const inside = await user(db, org.realm, { role: 600 });
    const audience = await audienceOf(await channel(db, org.realm, { subscribers: [inside] }));
    expect(audience).to.include.members([org.owner.id, org.member.id, org.bot.id, inside.id]);
    expect(audience).not.to.include(org.guest.id);
  });

  it("of a private channel are sent to subscribers, administrators and members of its permission groups", async () => {
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

  it("of a web-public channel are sent to all accounts", async () => {
    const { db, org } = scene;
    const audience = await audienceOf(await channel(db, org.realm, { isWebPublic: true }));
    expect(audience).to.include.members([org.guest.id, org.member.id]);
  });
});
