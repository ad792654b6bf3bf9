import { addSubscriptions, type InputOf } from "@carillon/contract";
import {
  changeOrganization,
  channel,
  crowd,
  organization,
  type TestAccount,
  type TestOrganization,
  unique,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof addSubscriptions>]?: unknown };

/** Which notices are enqueued; their contents are tested with the job (`send-notice`). */
describe("POST /users/me/subscriptions: notices sent by a worker", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const add = async (by: TestAccount, names: readonly string[], params: Params = {}) => {
    const { body } = await gateway.as(by).call(addSubscriptions, {
      params: { subscriptions: names.map((name) => ({ name })), ...params },
    });
    expect(body.result, body.msg).to.equal("success");
    return body.new_subscription_messages_sent;
  };
  const recorded = async () => {
    const rows = await db.rows<{ payload: Record<string, unknown> }>(
      "SELECT payload FROM job_intent WHERE realm_id = $1 AND job = 'send-notice' ORDER BY id",
      [org.realm.id],
    );
    return rows.map(({ payload }) => payload);
  };

  it("send each new subscriber one notice for all existing channels", async () => {
    const [first, second] = [
      await channel(db, org.admin, { subscribers: [org.moderator] }),
      await channel(db, org.admin),
    ];
    const principals = [org.member, org.guest, org.moderator, org.bot].map(({ id }) => id);
    const sent = await add(org.member, [first.name, second.name, unique("new")], { principals });
    expect(sent).to.equal(true);
    const notice = { kind: "subscribed", actorId: org.member.id };
    expect(await recorded()).to.have.deep.members([
      { ...notice, userId: org.guest.id, channelIds: [first.id, second.id] },
      { ...notice, userId: org.moderator.id, channelIds: [second.id] },
    ]);
  });

  it("are not sent for new channels, for the caller, or for existing subscriptions", async () => {
    const room = await channel(db, org.admin, { subscribers: [org.guest] });
    expect(await add(org.member, [room.name])).to.equal(true);
    expect(await add(org.member, [room.name], { principals: [org.guest.id] })).to.equal(true);
    expect(await add(org.member, [unique("new")], { principals: [org.guest.id] })).to.equal(true);
    expect(await recorded()).to.deep.equal([]);
  });

  it("are not sent if send_new_subscription_messages is false", async () => {
    const room = await channel(db, org.admin);
    const params = { principals: [org.guest.id], send_new_subscription_messages: false };
    expect(await add(org.member, [room.name], params)).to.equal(undefined);
    expect(await recorded()).to.deep.equal([]);
  });

  it("are not sent for more than 100 subscribed accounts, counting bots and the caller", async () => {
    const ids = (await crowd(db, org.member, 98)).map(({ id }) => id);
    const [room, other] = [await channel(db, org.admin), await channel(db, org.admin)];
    const others = [...ids, org.bot.id, org.member.id];
    expect(await add(org.member, [room.name], { principals: others })).to.equal(true);
    expect(await recorded()).to.have.length(98);
    const more = { principals: [...others, org.guest.id] };
    // Only one of these is a new subscription.
    expect(await add(org.member, [room.name], more)).to.equal(true);
    expect(await recorded()).to.have.length(99);
    expect(await add(org.member, [other.name], more)).to.equal(false);
    expect(await add(org.member, [unique("new")], more)).to.equal(false);
    expect(await recorded()).to.have.length(99);
  });

  it("announce new channels that are not private, if requested and if the organization has an announcement channel", async () => {
    const announcements = await channel(db, org.admin);
    const there = await channel(db, org.admin);
    await add(org.member, [unique("new")], { announce: true });
    await changeOrganization(db, org.realm, { newStreamAnnouncementsChannelId: announcements.id });
    await add(org.member, [unique("new")]);
    await add(org.member, [unique("new")], { announce: true, invite_only: true });
    expect(await recorded()).to.deep.equal([]);
    const name = unique("new");
    await add(org.member, [there.name, name], { announce: true });
    const { id } = await db.prisma.channel.findFirstOrThrow({ where: { name } });
    expect(await recorded()).to.deep.equal([
      { kind: "channel-created", actorId: org.member.id, channelId: id },
    ]);
  });
});
