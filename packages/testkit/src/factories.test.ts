import { type Account, loadMemberships } from "@carillon/model";
import { expect } from "chai";
import { useDatabase } from "./database.ts";
import { eventsOf } from "./event-log.ts";
import {
  bot,
  changeOrganization,
  changeSubscription,
  channel,
  deactivateUser,
  makeDue,
  muteUser,
  organization,
  reload,
  scheduledMessage,
  setTopicPolicy,
  subscribe,
  unsubscribe,
  user,
  userGroup,
  type TestOrganization,
} from "./factories/index.ts";
import { useGateway } from "./gateway.ts";

describe("The factories", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;

  before(async () => {
    org = await organization(db);
  });

  const count = async (channelId: number) =>
    (await db.prisma.channel.findUniqueOrThrow({ where: { id: channelId } })).subscriberCount;

  it("create organizations with an account of every role in its system group", async () => {
    const { owner, admin, moderator, member, guest, groups } = org;
    const people: Account[] = [owner, admin, moderator, member, guest, org.bot];
    expect(people.map(({ role }) => role)).to.deep.equal([100, 200, 300, 400, 600, 400]);
    expect(people.every(({ realmId }) => realmId === org.realm.id)).to.equal(true);
    expect(owner.canCreateUsers).to.equal(true);
    expect(org.bot).to.include({ isBot: true, botType: 1, botOwnerId: member.id });
    const memberships = await loadMemberships(
      db,
      people.map(({ id }) => id),
    );
    expect(memberships.isIn(moderator.id, groups["role:moderators"])).to.equal(true);
    expect(memberships.isIn(member.id, groups["role:moderators"])).to.equal(false);
    expect(memberships.isIn(guest.id, groups["role:everyone"])).to.equal(true);
  });

  it("create several organizations in one database", async () => {
    const other = await organization(db, { row: { topicsPolicy: "disable_empty_topic" } });
    expect(other.realm.id).not.to.equal(org.realm.id);
    expect(other.realm.topicsPolicy).to.equal("disable_empty_topic");
    expect((await changeOrganization(db, other.realm, { name: "Other" })).name).to.equal("Other");
  });

  it("create accounts that authenticate by their delivery address", async () => {
    const hidden = await user(db, org.realm, { settings: { email_address_visibility: 4 } });
    expect(hidden.email).not.to.equal(hidden.deliveryEmail);
    for (const account of [org.member, org.bot, hidden]) {
      const answer = await gateway.as(account).get("/api/v1/scheduled_messages");
      expect(answer.status, answer.text).to.equal(200);
    }
    const anonymous = await gateway.anonymous.get("/api/v1/scheduled_messages");
    expect(anonymous.status).to.equal(401);
  });

  it("deactivate accounts, whose subscriptions no longer count", async () => {
    const gone = await user(db, org.realm);
    const { id } = await channel(db, org.member, { subscribers: [org.member, gone] });
    expect(await count(id)).to.equal(2);
    await deactivateUser(db, gone);
    expect(await count(id)).to.equal(1);
    expect((await reload(db, gone)).isActive).to.equal(false);
    expect((await gateway.as(gone).get("/api/v1/scheduled_messages")).status).to.equal(401);
    expect((await user(db, org.realm, { isActive: false })).isActive).to.equal(false);
  });

  it("write columns that no operation can set", async () => {
    const stub = await user(db, org.realm, { row: { isImportedStub: true } });
    expect(stub.isImportedStub).to.equal(true);
    const webhook = await bot(db, org.owner, { botType: 2 });
    expect(webhook.botType).to.equal(2);
  });

  it("create channels in every state", async () => {
    const { groups } = org;
    const open = await channel(db, org.member);
    expect(open).to.include({
      inviteOnly: false,
      historyPublicToSubscribers: true,
      subscriberCount: 0,
    });
    expect(open.creatorId).to.equal(org.member.id);
    const closed = await channel(db, org.member, {
      inviteOnly: true,
      topicsPolicy: "empty_topic_only",
      isArchived: true,
      subscribers: [org.guest, org.bot.id],
      groups: { canSendMessageGroupId: groups["role:nobody"] },
    });
    expect(closed).to.include({
      inviteOnly: true,
      historyPublicToSubscribers: false,
      topicsPolicy: "empty_topic_only",
      isArchived: true,
      subscriberCount: 2,
      canSendMessageGroupId: groups["role:nobody"],
    });
    const nobodys = await channel(db, org.realm);
    expect(nobodys).to.include({
      creatorId: null,
      canAdministerChannelGroupId: groups["role:nobody"],
    });
    const memberships = await loadMemberships(db, [org.member.id]);
    expect(memberships.isIn(org.member.id, open.canAdministerChannelGroupId)).to.equal(true);
  });

  it("subscribe and unsubscribe", async () => {
    const { id } = await channel(db, org.realm);
    await subscribe(db, id, org.member, org.guest);
    await changeSubscription(db, id, org.guest, { isMuted: true });
    await unsubscribe(db, id, org.member);
    expect(await count(id)).to.equal(1);
  });

  it("create groups, mutes and topic policies", async () => {
    const group = await userGroup(db, org.realm, { members: [org.member] });
    const memberships = await loadMemberships(db, [org.member.id]);
    expect(memberships.isIn(org.member.id, group.id)).to.equal(true);
    await muteUser(db, org.member, org.bot);
    const { id } = await channel(db, org.realm);
    await setTopicPolicy(db, org.member, id, "Lunch", "followed");
    await setTopicPolicy(db, org.member, id, "lunch", "muted");
    const topics = await db.prisma.userTopic.findMany({ where: { channelId: id } });
    expect(topics.map((row) => row.visibilityPolicy)).to.deep.equal([1]);
  });

  it("create scheduled messages in every state", async () => {
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const failed = await scheduledMessage(db, org.member, room, {
      row: { failed: true, failureMessage: "It did not work." },
    });
    const direct = await scheduledMessage(db, org.member, [org.guest]);
    const again = await scheduledMessage(db, org.guest, [org.member]);
    expect(again.recipientId).to.equal(direct.recipientId);
    await makeDue(db, direct.id);
    const listed = await gateway.as(org.member).get("/api/v1/scheduled_messages");
    expect(listed.status, listed.text).to.equal(200);
    const items = listed.body["scheduled_messages"] as Array<Record<string, unknown>>;
    expect(items.map((item) => item["scheduled_message_id"])).to.have.members([
      failed.id,
      direct.id,
    ]);
    expect(items.find((item) => item["scheduled_message_id"] === failed.id)).to.include({
      to: room.id,
      failed: true,
    });
  });

  it("return the events of a piece of work", async () => {
    const { events } = await eventsOf(db, org.realm.id, () => user(db, org.realm));
    expect(events.map(({ type, op }) => `${type}/${op}`)).to.include("realm_user/add");
  });
});
