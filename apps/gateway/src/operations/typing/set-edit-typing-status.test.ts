import { sendMessage, setEditTypingStatus } from "@carillon/contract";
import {
  changeChannel,
  changeOrganization,
  changeSettings,
  channel,
  countQueries,
  deactivateUser,
  eventsOf,
  organization,
  refused,
  refusedAlike,
  subscribe,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /messages/{message_id}/typing", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let room: TestChannel;
  beforeEach(async () => {
    org = await organization(db);
    room = await channel(db, org.owner, { subscribers: [org.member, org.guest, org.bot] });
  });

  const post = async (by: TestAccount, to = room, topic = "lunch") => {
    const params = { type: "channel", to: to.id, topic, content: "soup" };
    return (await gateway.as(by).succeed(sendMessage, { params })).id;
  };
  const write = async (by: TestAccount, ...to: TestAccount[]) => {
    const params = { type: "direct", to: to.map(({ id }) => id), content: "soup" };
    return (await gateway.as(by).succeed(sendMessage, { params })).id;
  };
  const call = (by: TestAccount, id: number | string, op: string | undefined = "start") =>
    gateway.as(by).call(setEditTypingStatus, { path: { message_id: id }, params: { op } });
  /** The events of a request that must succeed. */
  const received = async (by: TestAccount, id: number, op = "start") => {
    const { result, events } = await eventsOf(db, org.realm.id, () => call(by, id, op));
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    return events;
  };
  const refusal = async (by: TestAccount, id: number | string) =>
    (await refused(db, () => call(by, id), "BAD_REQUEST", {})).msg;
  const ids = (...accounts: TestAccount[]) => accounts.map(({ id }) => id).sort((a, b) => a - b);

  it("sends an event to the channel's subscribers, including the sender", async () => {
    const id = await post(org.member);
    for (const op of ["start", "stop"]) {
      const [event, ...more] = await received(org.member, id, op);
      expect(more).to.deep.equal([]);
      expect(event).to.deep.include({
        type: "typing_edit_message",
        op,
        audience: ids(org.member, org.guest, org.bot),
        payload: {
          sender_id: org.member.id,
          message_id: id,
          recipient: { type: "channel", channel_id: room.id, topic: "lunch" },
        },
      });
    }
  });

  it("sends an event to the conversation's participants, including the sender", async () => {
    const id = await write(org.bot, org.guest, org.admin);
    const [event] = await received(org.bot, id);
    expect(event).to.deep.include({
      audience: ids(org.bot, org.guest, org.admin),
      payload: {
        sender_id: org.bot.id,
        message_id: id,
        recipient: { type: "direct", user_ids: ids(org.bot, org.guest, org.admin) },
      },
    });
    const [alone] = await received(org.guest, await write(org.guest, org.guest));
    expect(alone?.audience).to.deep.equal([org.guest.id]);
  });

  it("sends events to active accounts that enable them, and none if none remain", async () => {
    const gone = await user(db, org.realm);
    await subscribe(db, room, gone);
    const [inRoom, direct] = [await post(org.member), await write(org.member, org.guest, gone)];
    await deactivateUser(db, gone);
    await changeSettings(db, org.guest, { receives_typing_notifications: false });
    expect((await received(org.member, inRoom))[0]?.audience).to.deep.equal(
      ids(org.member, org.bot),
    );
    expect((await received(org.member, direct))[0]?.audience).to.deep.equal([org.member.id]);
    await changeSettings(db, org.member, { receives_typing_notifications: false });
    expect(await received(org.member, direct)).to.deep.equal([]);
  });

  it("sends events to receivers of the message if history is protected", async () => {
    for (const historyPublicToSubscribers of [true, false]) {
      const closed = await channel(db, org.owner, {
        inviteOnly: true,
        historyPublicToSubscribers,
        subscribers: [org.member, org.bot],
      });
      const id = await post(org.member, closed);
      await subscribe(db, closed, org.guest);
      await unsubscribe(db, closed, org.bot);
      const [event] = await received(org.member, id);
      expect(event?.audience).to.deep.equal(
        historyPublicToSubscribers ? ids(org.member, org.guest) : [org.member.id],
      );
    }
  });

  it("sends no events for more than a hundred subscribers", async () => {
    const id = await post(org.member);
    await db.rows("UPDATE channels SET subscriber_count = 101 WHERE id = $1", [room.id]);
    expect(await received(org.member, id)).to.deep.equal([]);
    await db.rows("UPDATE channels SET subscriber_count = 100 WHERE id = $1", [room.id]);
    expect(await received(org.member, id)).to.have.length(1);
  });

  it("sends the display name of the empty topic to clients without support for it", async () => {
    await changeOrganization(db, org.realm, { emptyTopicDisplayName: "misc" });
    const id = await post(org.member, room, "");
    const queues = {
      old: { account: org.guest },
      current: {
        account: org.guest,
        params: { client_capabilities: { empty_topic_name: true } },
      },
      other: { account: org.admin },
    };
    const heard = await watch(gateway, queues, () => call(org.member, id));
    const topics = [heard.old, heard.current].map((events) =>
      events.map(({ recipient }) => (recipient as { topic: string }).topic),
    );
    expect(topics).to.deep.equal([["misc"], [""]]);
    expect(heard.other).to.deep.equal([]);
  });

  it("requires the message's sender, while the message may be edited", async () => {
    const id = await post(org.member);
    for (const by of [org.owner, org.guest, org.bot])
      expect(await refusal(by, id)).to.contain("may not edit");
    const age = (seconds: number) =>
      db.rows("UPDATE messages SET sent_at = now() - make_interval(secs => $2) WHERE id = $1", [
        id,
        seconds,
      ]);
    await age(500);
    expect(await received(org.member, id)).to.have.length(1);
    await age(601);
    expect(await refusal(org.member, id)).to.contain("600 seconds");
  });

  it("refuses archived channels, and channels that the caller cannot read any more", async () => {
    const id = await post(org.guest);
    await changeChannel(db, room, { isArchived: true });
    expect(await refusal(org.guest, id)).to.contain("archived");
    await changeChannel(db, room, { isArchived: false });
    await unsubscribe(db, room, org.guest);
    expect(await refusal(org.guest, id)).to.contain("no such message");
  });

  it("refuses messages that do not exist or are hidden from the caller", async () => {
    const other = await organization(db);
    const hidden = [
      await write(org.owner, org.guest),
      await write(other.owner, other.member),
      0,
      2 ** 31,
      2 ** 53 - 1,
      "9007199254740993",
    ];
    await refusedAlike(db, hidden, (id) => call(org.member, id));
  });

  it("refuses callers who disable typing notifications", async () => {
    const [inRoom, direct] = [await post(org.member), await write(org.member, org.guest)];
    await changeSettings(db, org.member, { send_stream_typing_notifications: false });
    expect(await refusal(org.member, inRoom)).to.contain("settings");
    expect(await received(org.member, direct)).to.have.length(1);
    await changeSettings(db, org.member, {
      send_stream_typing_notifications: true,
      send_private_typing_notifications: false,
    });
    expect(await refusal(org.member, direct)).to.contain("settings");
    expect(await received(org.member, inRoom)).to.have.length(1);
  });

  it("sends an event for every request, also for concurrent ones", async () => {
    const id = await post(org.member);
    const say = () => call(org.member, id);
    const { events } = await eventsOf(db, org.realm.id, async () => {
      await say();
      await Promise.all([say(), say()]);
    });
    expect(events).to.have.length(3);
  });

  it("requires op and authentication", async () => {
    const id = await post(org.member);
    await refused(db, () => call(org.member, id, "pause"), "BAD_REQUEST");
    const missing = () =>
      gateway.as(org.member).call(setEditTypingStatus, { path: { message_id: id } });
    await refused(db, missing, "REQUEST_VARIABLE_MISSING", { var_name: "op" });
    const nobody = () => gateway.anonymous.post(`/api/v1/messages/${id}/typing`);
    await refused(db, nobody, "UNAUTHORIZED");
  });

  it("runs the same number of statements for any number of subscribers", async () => {
    const id = await post(org.member);
    const count = async () => (await countQueries(db, () => call(org.member, id))).count;
    const few = await count();
    const crowd = await Promise.all(Array.from({ length: 5 }, () => user(db, org.realm)));
    await subscribe(db, room, ...crowd);
    expect(await count()).to.equal(few);
  });
});
