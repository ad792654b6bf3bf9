import { deactivateUser, deleteMessage, getOwnUser, reactivateUser } from "@carillon/contract";
import {
  bot,
  channel,
  countQueries,
  deleteRecorded,
  eventsOf,
  organization,
  pastMessages,
  refused,
  send,
  toChannel,
  toUsers,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

type Action =
  | "delete_profile"
  | "delete_public_channel_messages"
  | "delete_private_channel_messages"
  | "delete_direct_messages";

const places = [
  "public",
  "publicArchived",
  "webPublic",
  "shared",
  "protected",
  "protectedArchived",
  "direct",
  "group",
  "self",
] as const;

const deletedBy: Readonly<Record<string, readonly string[]>> = {
  delete_public_channel_messages: ["public", "publicArchived", "webPublic"],
  delete_private_channel_messages: ["shared", "protected", "protectedArchived"],
  delete_direct_messages: ["direct", "group", "self"],
};

describe("DELETE /users/{user_id}: actions", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const remove = (target: TestAccount, ...actions: Action[]) =>
    gateway.as(org.owner).call(deactivateUser, {
      path: { user_id: target.id },
      params: { actions: Object.fromEntries(actions.map((name) => [name, true])) },
    });
  const succeed = async (target: TestAccount, ...actions: Action[]) => {
    const { body } = await remove(target, ...actions);
    expect(body).to.deep.equal({ result: "success", msg: "" });
  };
  const left = async (sender: TestAccount) => {
    const rows = await db.rows<{ id: number }>(
      "SELECT id FROM messages WHERE sender_id = $1 ORDER BY id",
      [sender.id],
    );
    return rows.map(({ id }) => id);
  };
  /** Sends a message of the account, and one of another account, to every kind of destination. */
  const world = async (target: TestAccount) => {
    const { member, realm } = org;
    const people = { subscribers: [target, member] };
    const rooms = {
      public: await channel(db, realm, people),
      publicArchived: await channel(db, realm, people),
      webPublic: await channel(db, realm, { ...people, isWebPublic: true }),
      shared: await channel(db, realm, {
        ...people,
        inviteOnly: true,
        historyPublicToSubscribers: true,
      }),
      protected: await channel(db, realm, { ...people, inviteOnly: true }),
      protectedArchived: await channel(db, realm, { ...people, inviteOnly: true }),
    };
    const own: Record<string, number> = {};
    const others: number[] = [];
    const [client, other] = [gateway.as(target), gateway.as(member)];
    for (const [name, { id }] of Object.entries(rooms)) {
      own[name] = await send(client, toChannel(id));
      others.push(await send(other, toChannel(id)));
    }
    own["direct"] = await send(client, toUsers([member.id]));
    own["group"] = await send(client, toUsers([member.id, org.admin.id]));
    own["self"] = await send(client, toUsers([target.id]));
    others.push(await send(other, toUsers([target.id])));
    for (const name of ["publicArchived", "protectedArchived"] as const)
      await db.rows("UPDATE channels SET is_archived = true WHERE id = $1", [rooms[name].id]);
    return { rooms, own, others };
  };

  for (const [action, gone] of Object.entries(deletedBy))
    it(`${action} deletes the account's messages there with all copies, and nothing else`, async () => {
      const target = await user(db, org.realm);
      const { own, others } = await world(target);
      await succeed(target, action as Action);
      expect(await left(target), "before the job runs").to.have.length(places.length);
      await deleteRecorded(db);
      const kept = places.filter((place) => !gone.includes(place)).map((place) => own[place]);
      expect(await left(target)).to.deep.equal(kept);
      expect((await left(org.member)).length).to.equal(others.length);
      const goneIds = gone.map((place) => own[place]);
      const copies = await db.rows("SELECT FROM user_messages WHERE message_id = ANY($1)", [
        goneIds,
      ]);
      expect(copies).to.deep.equal([]);
      const archived = await db.prisma.archivedMessage.findMany({
        where: { senderId: target.id },
        orderBy: { id: "asc" },
      });
      expect(archived.map(({ id }) => Number(id))).to.deep.equal(goneIds);
    });

  it("delete all messages together, and those of the account's bots", async () => {
    const target = await user(db, org.realm);
    const machine = await bot(db, target);
    const { own } = await world(target);
    await world(machine);
    await succeed(
      target,
      "delete_public_channel_messages",
      "delete_private_channel_messages",
      "delete_direct_messages",
    );
    await deleteRecorded(db);
    expect([await left(target), await left(machine)]).to.deep.equal([[], []]);
    expect(Object.keys(own)).to.have.length(places.length);
    const jobs = await db.prisma.messageDeletionJob.findMany({ where: { realmId: org.realm.id } });
    expect(jobs.map(({ userId }) => userId)).to.have.members([target.id, machine.id]);
    for (const { finishedAt } of jobs) expect(finishedAt).to.be.instanceOf(Date);
  });

  it("none: records nothing", async () => {
    const target = await user(db, org.realm);
    await succeed(target);
    expect(await db.prisma.messageDeletionJob.count({ where: { userId: target.id } })).to.equal(0);
  });

  it("send the deletion to receivers by topic, with ascending IDs", async () => {
    const target = await user(db, org.realm);
    const { member, admin, owner, realm } = org;
    const [open, secret] = [
      await channel(db, realm, { subscribers: [target, member] }),
      await channel(db, realm, { subscribers: [target, member], inviteOnly: true }),
    ];
    const inOpen = await pastMessages(db, open, target, { count: 150, topic: "a" });
    const [ofB] = await pastMessages(db, open, target, { topic: "b" });
    const inSecret = await pastMessages(db, secret, target, { count: 2, holders: [member] });
    const direct = await send(gateway.as(target), toUsers([member.id]));
    const { events } = await eventsOf(db, realm.id, async () => {
      await succeed(
        target,
        "delete_public_channel_messages",
        "delete_private_channel_messages",
        "delete_direct_messages",
      );
      await deleteRecorded(db);
    });
    const received = events.filter(({ type }) => type === "delete_message");
    const of = (streamId: number, topic: string, message_ids: readonly number[]) => ({
      message_type: "stream",
      stream_id: streamId,
      topic,
      message_ids,
    });
    expect(received.map(({ payload }) => payload)).to.deep.equal([
      of(open.id, "a", inOpen.slice(0, 100)),
      of(open.id, "a", inOpen.slice(100)),
      of(open.id, "b", [ofB ?? 0]),
      of(secret.id, "lunch", inSecret),
      { message_type: "private", message_ids: [direct] },
    ]);
    const [first, , , hidden, private_] = received.map(({ audience }) => audience);
    expect(first).to.include.members([member.id, admin.id, owner.id]);
    expect(hidden).to.deep.equal([member.id]);
    expect(private_).to.include(member.id).and.not.include(admin.id);
  });

  it("keep messages that the account sends after its reactivation", async () => {
    const target = await user(db, org.realm);
    const room = await channel(db, org.realm, { subscribers: [target] });
    await pastMessages(db, room, target, { count: 3 });
    await succeed(target, "delete_public_channel_messages");
    await gateway.as(org.owner).succeed(reactivateUser, { path: { user_id: target.id } });
    const fresh = await send(gateway.as(target), toChannel(room.id));
    await deleteRecorded(db);
    expect(await left(target)).to.deep.equal([fresh]);
  });

  it("of a second deactivation join the unfinished first one", async () => {
    const target = await user(db, org.realm);
    const room = await channel(db, org.realm, { subscribers: [target] });
    await pastMessages(db, room, target, { count: 3 });
    await succeed(target, "delete_public_channel_messages");
    await gateway.as(org.owner).succeed(reactivateUser, { path: { user_id: target.id } });
    await send(gateway.as(target), toChannel(room.id));
    const direct = await send(gateway.as(target), toUsers([org.member.id]));
    await succeed(target, "delete_direct_messages");
    const [job, ...more] = await db.prisma.messageDeletionJob.findMany({
      where: { userId: target.id },
    });
    expect(more).to.deep.equal([]);
    expect(job).to.deep.include({
      publicChannelMessages: true,
      privateChannelMessages: false,
      directMessages: true,
    });
    expect(Number(job?.maxMessageId)).to.be.at.least(direct);
    await deleteRecorded(db);
    expect(await left(target)).to.deep.equal([]);
    await gateway.as(org.owner).succeed(reactivateUser, { path: { user_id: target.id } });
    await succeed(target, "delete_direct_messages");
    expect(await db.prisma.messageDeletionJob.count({ where: { userId: target.id } })).to.equal(2);
  });

  it("of a second deactivation restart the first one if it was given up", async () => {
    const target = await user(db, org.realm);
    const room = await channel(db, org.realm, { subscribers: [target] });
    await pastMessages(db, room, target, { count: 3 });
    await succeed(target, "delete_public_channel_messages");
    await db.rows(
      "UPDATE job_intent SET state = 'dead', finished_at = now() WHERE job = 'delete-messages' AND state = 'pending'",
    );
    await gateway.as(org.owner).succeed(reactivateUser, { path: { user_id: target.id } });
    expect(await deleteRecorded(db)).to.equal(0);
    await succeed(target, "delete_direct_messages");
    await deleteRecorded(db);
    expect(await left(target)).to.deep.equal([]);
  });

  it("find messages moved meanwhile, and channels made private meanwhile", async () => {
    const target = await user(db, org.realm);
    const people = { subscribers: [target, org.member] };
    const [first, second, third] = [
      await channel(db, org.realm, people),
      await channel(db, org.realm, people),
      await channel(db, org.realm, people),
    ];
    const [moved] = await pastMessages(db, second, target);
    const kept = await pastMessages(db, third, target, { count: 2 });
    await pastMessages(db, first, target, { count: 2 });
    await succeed(target, "delete_public_channel_messages");
    await db.rows(
      "UPDATE channels SET invite_only = true, history_public_to_subscribers = false WHERE id = $1",
      [third.id],
    );
    await db.rows("UPDATE messages SET recipient_id = $2 WHERE id = $1", [
      moved,
      first.recipientId,
    ]);
    await deleteRecorded(db);
    expect(await left(target)).to.deep.equal(kept);
  });

  it("skip messages that were deleted meanwhile", async () => {
    const target = await user(db, org.realm);
    const room = await channel(db, org.realm, { subscribers: [target, org.member] });
    const [first] = await pastMessages(db, room, target, { count: 3 });
    await succeed(target, "delete_public_channel_messages");
    await gateway.as(org.owner).succeed(deleteMessage, { path: { message_id: first ?? 0 } });
    await deleteRecorded(db);
    expect(await left(target)).to.deep.equal([]);
  });

  it("run the same number of statements and read no message, however many are to be deleted", async () => {
    const asked = async (count: number) => {
      const target = await user(db, org.realm);
      await bot(db, target);
      const room = await channel(db, org.realm, { subscribers: [target, org.member] });
      if (count > 0) await pastMessages(db, room, target, { count });
      const { statements } = await countQueries(db, () =>
        succeed(target, "delete_public_channel_messages", "delete_direct_messages"),
      );
      // Without wake-up notifications, which may be sent after the response.
      return statements.filter((text) => !text.includes("pg_notify"));
    };
    const none = await asked(0);
    expect(await asked(500)).to.deep.equal(none);
    expect(none.filter((text) => /\bmessages m?\b/.test(text))).to.deep.equal([]);
  });

  it("delete_profile replaces names and uploaded pictures, with events", async () => {
    const target = await user(db, org.realm);
    const machine = await bot(db, target);
    await db.rows("UPDATE users SET avatar_source = 'U', avatar_version = 4 WHERE id = $1", [
      target.id,
    ]);
    const { events } = await eventsOf(db, org.realm.id, () => succeed(target, "delete_profile"));
    const row = async ({ id }: TestAccount) => {
      const { fullName, avatarSource, avatarVersion, deliveryEmail } =
        await db.prisma.user.findUniqueOrThrow({ where: { id } });
      return { fullName, avatarSource, avatarVersion, deliveryEmail };
    };
    expect(await row(target)).to.deep.equal({
      fullName: "Deleted user",
      avatarSource: "G",
      avatarVersion: 5,
      deliveryEmail: target.deliveryEmail,
    });
    expect(await row(machine)).to.include({ fullName: "Deactivated bot", avatarVersion: 1 });
    const persons = events.map(({ type, op, payload }) => ({
      type,
      op,
      person: payload["person"],
    }));
    const about = (person: object) => ({ type: "realm_user", op: "update", person });
    expect(persons).to.deep.equal([
      about({ user_id: machine.id, is_active: false }),
      about({ user_id: machine.id, full_name: "Deactivated bot" }),
      about({ user_id: target.id, is_active: false }),
      about({ user_id: target.id, full_name: "Deleted user" }),
      about({ user_id: target.id, avatar_source: "G", avatar_version: 5 }),
    ]);
    expect(events.every(({ audience }) => audience === null)).to.equal(true);
  });

  it("are written to the audit log, also for bots", async () => {
    const target = await user(db, org.realm);
    const machine = await bot(db, target);
    await succeed(target, "delete_profile", "delete_direct_messages");
    const lines = await db.prisma.auditLog.findMany({
      where: { modifiedUserId: { in: [target.id, machine.id] }, eventType: "user_deactivated" },
      orderBy: { id: "asc" },
    });
    const actions = ["delete_profile", "delete_direct_messages"];
    expect(lines.map(({ extraData }) => extraData)).to.deep.equal([
      { owner_id: target.id, actions },
      { actions },
    ]);
  });

  it("of a refused request change nothing", async () => {
    const { owner, admin, member, bot: machine } = org;
    const everything = {
      delete_profile: true,
      delete_public_channel_messages: true,
      delete_private_channel_messages: true,
      delete_direct_messages: true,
    };
    const ask =
      (by: TestAccount, target: TestAccount, actions: unknown = everything) =>
      () =>
        gateway.as(by).call(deactivateUser, { path: { user_id: target.id }, params: { actions } });
    await refused(db, ask(member, admin), "BAD_REQUEST");
    await refused(db, ask(owner, machine), "BAD_REQUEST");
    await refused(db, ask(owner, owner), "BAD_REQUEST");
    await refused(db, ask(admin, owner), "UNAUTHORIZED_PRINCIPAL");
    await refused(db, ask(owner, member, { ...everything, delete_profile: 1 }), "BAD_REQUEST");
    expect((await gateway.as(member).call(getOwnUser)).status).to.equal(200);
  });
});
