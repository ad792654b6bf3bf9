import {
  addDefaultChannel,
  addSubscriptions,
  archiveChannel,
  createUser,
  deactivateUserGroup,
  updateSubscriptionProperties,
  updateUser,
} from "@carillon/contract";
import { deliverDue } from "@carillon/jobs";
import {
  channel,
  channelMessage,
  eventsOf,
  kindsOf,
  refusedWith,
  type LoggedEvent,
  makeDue,
  messagesPath,
  runJob,
  schedule,
  scheduledMessagesPath,
  storedRow,
  type TestAccount,
  type TestChannel,
  toChannel,
  unique,
  useGateway,
  useBlocker,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §8: an archived channel gets no new content, whichever request was first, on every gateway.
describe("Archiving a channel during another change of it", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  const blocker = useBlocker(scene.db);
  let member: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    member = await user(db, org.realm);
    room = await channel(db, member, { subscribers: [member] });
  });

  const archiving = (by = scene.org.owner) =>
    scene.as(by).call(archiveChannel, { path: { stream_id: room.id } });
  const sending = () => second.as(member).post(messagesPath, toChannel(room.id));

  /** Blocks the first request at its commit and the second on the first, then releases both. */
  async function inOrder<One, Other>(one: () => Promise<One>, other: () => Promise<Other>) {
    const { db, org } = scene;
    const { result, events } = await eventsOf(db, org.realm.id, async () => {
      await blocker.lock("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [org.realm.id]);
      const first = one();
      await blocker.untilWaiting(1, "the one waits for its commit");
      const next = other();
      await blocker.untilWaiting(2, "the other waits");
      await blocker.release();
      return Promise.all([first, next]);
    });
    return { one: result[0], other: result[1], events };
  }

  /** Without changes of the senders' topic policies. */
  const kinds = (events: readonly LoggedEvent[]) =>
    events
      .filter(({ type }) => type !== "user_topic")
      .map(({ type, op }) => (op ? `${type}/${op}` : type));
  const isArchived = async () =>
    (await scene.db.prisma.channel.findUniqueOrThrow({ where: { id: room.id } })).isArchived;
  const countMessages = () =>
    scene.db.prisma.message.count({ where: { recipientId: room.recipientId } });

  it("follows a message that was sent first", async () => {
    const { one, other, events } = await inOrder(sending, archiving);
    expect([one.status, other.status]).to.deep.equal([200, 200]);
    expect(kinds(events)).to.deep.equal(["message", "message", "stream/update"]);
    expect(events[0]?.payload["message"]).to.include({ id: one.body["id"] });
  });

  it("precedes a later message, which is refused", async () => {
    const { one, other, events } = await inOrder(archiving, sending);
    expect([one.status, other.status]).to.deep.equal([200, 400]);
    expect(kinds(events)).to.deep.equal(["message", "stream/update"]);
    expect(await countMessages()).to.equal(1);
  });

  it("orders messages of many senders before the notice, or refuses them", async () => {
    const { db, org } = scene;
    const { result, events } = await eventsOf(db, org.realm.id, async () => {
      const before = Array.from({ length: 6 }, sending);
      const end = archiving();
      const after = Array.from({ length: 6 }, sending);
      return [await end, ...(await Promise.all([...before, ...after]))];
    });
    const [end, ...sent] = result;
    expect(end?.status).to.equal(200);
    const stored = sent.filter(({ status }) => status === 200);
    expect(kinds(events)).to.deep.equal([
      ...Array<string>(stored.length + 1).fill("message"),
      "stream/update",
    ]);
    const newest = await db.prisma.message.findFirstOrThrow({
      where: { recipientId: room.recipientId },
      orderBy: { id: "desc" },
    });
    expect(newest.senderId, "the notice is the last").to.equal(org.notificationBot.id);
    expect(await countMessages()).to.equal(stored.length + 1);
  });

  it("fails a message that is scheduled meanwhile when it is due", async () => {
    const { db, org } = scene;
    const scheduling = () => second.as(member).post(scheduledMessagesPath, channelMessage(room.id));
    const { other } = await inOrder(archiving, scheduling);
    expect(other.status, "it was checked before the channel's end").to.equal(200);
    const id = other.body["scheduled_message_id"] as number;
    await makeDue(db, id);
    await runJob(db, deliverDue, { realmId: org.realm.id, second: 0 });
    expect(await storedRow(db, id)).to.include({ failed: true, delivered: false });
    expect((await storedRow(db, id))?.failureMessage).to.contain("archived");
    expect(await countMessages()).to.equal(1);
  });

  it("precedes a later delivery, which fails", async () => {
    const { db, org } = scene;
    const id = await schedule(scene.as(member), channelMessage(room.id));
    await makeDue(db, id);
    await inOrder(archiving, () => runJob(db, deliverDue, { realmId: org.realm.id, second: 0 }));
    expect(await storedRow(db, id)).to.include({ failed: true, delivered: false });
    expect(await countMessages()).to.equal(1);
  });

  it("allows no subscription afterwards", async () => {
    const { org } = scene;
    const { other } = await inOrder(archiving, () =>
      second.as(org.moderator).call(addSubscriptions, {
        params: { subscriptions: [{ name: room.name }] },
      }),
    );
    refusedWith(other);
    const row = await scene.db.prisma.channel.findUniqueOrThrow({ where: { id: room.id } });
    expect(row.subscriberCount).to.equal(1);
  });

  it("subscribes no new account to a former default channel", async () => {
    const { db, org } = scene;
    await db.prisma.defaultChannel.create({ data: { channelId: room.id } });
    const { other } = await inOrder(archiving, () =>
      second.as(org.owner).call(createUser, {
        params: {
          email: `${unique("new")}@carillon.test`,
          full_name: unique("New"),
          password: "correct horse",
        },
      }),
    );
    expect(other.status).to.equal(200);
    const row = await db.prisma.channel.findUniqueOrThrow({ where: { id: room.id } });
    expect(row).to.include({ isArchived: true, subscriberCount: 1 });
  });

  it("leaves no default channel, even if one is added meanwhile", async () => {
    const { db, org } = scene;
    const listing = () =>
      second.as(org.admin).call(addDefaultChannel, { params: { stream_id: room.id } });
    const { other } = await inOrder(archiving, listing);
    refusedWith(other);
    expect(await db.prisma.defaultChannel.count({ where: { channelId: room.id } })).to.equal(0);
  });

  it("removes a channel that became a default channel first", async () => {
    const { db, org } = scene;
    const listing = () =>
      second.as(org.admin).call(addDefaultChannel, { params: { stream_id: room.id } });
    const { one, other, events } = await inOrder(listing, archiving);
    expect([one.status, other.status]).to.deep.equal([200, 200]);
    const lists = events
      .filter(({ type }) => type === "default_streams")
      .map(({ payload }) => payload["default_streams"]);
    expect(lists).to.deep.equal([[room.id], []]);
    expect(await db.prisma.defaultChannel.count({ where: { channelId: room.id } })).to.equal(0);
  });

  it("is refused if the caller loses the administrator role meanwhile", async () => {
    const { db, org } = scene;
    const admin = await user(db, org.realm, { role: 200 });
    const demoting = () =>
      second.as(org.owner).call(updateUser, { path: { user_id: admin.id }, params: { role: 400 } });
    const { one, other } = await inOrder(demoting, () => archiving(admin));
    expect(one.status).to.equal(200);
    refusedWith(other, "CANNOT_ADMINISTER_CHANNEL");
    expect(await isArchived()).to.equal(false);
  });

  it("makes a group that only the channel used deactivatable", async () => {
    const { db, org } = scene;
    const group = await userGroup(db, org.realm);
    await db.prisma.channel.update({
      where: { id: room.id },
      data: { canSubscribeGroupId: group.id },
    });
    const { other } = await inOrder(archiving, () =>
      second.as(org.owner).call(deactivateUserGroup, { path: { user_group_id: group.id } }),
    );
    expect(other.status).to.equal(200);
  });

  it("sends no subscription afterwards to a client that does not know archived channels", async () => {
    const client = second.as(member);
    const { body } = await client.post("/api/v1/register", { fetch_event_types: [] });
    await inOrder(archiving, () =>
      client.call(updateSubscriptionProperties, {
        params: {
          subscription_data: [{ stream_id: room.id, property: "pin_to_top", value: true }],
        },
      }),
    );
    const polled = await client.get("/api/v1/events", {
      queue_id: body["queue_id"],
      last_event_id: body["last_event_id"],
      dont_block: true,
    });
    const received = polled.body["events"] as Parameters<typeof kindsOf>[0];
    expect(kindsOf(received).filter((kind) => kind !== "heartbeat")).to.deep.equal([
      "message",
      "stream/delete",
    ]);
  });
});
