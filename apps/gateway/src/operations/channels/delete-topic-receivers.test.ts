import { clientCapabilities, deleteTopic } from "@carillon/contract";
import {
  changeChannel,
  channel,
  eventsOf,
  kindsOf,
  organization,
  subscribe,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  userGroup,
  watch,
  type ChannelOverrides,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { post, setFlags } from "../../test-support/reading-messages.ts";

// events.md §4: sent to accounts that could see the messages.
describe("POST /streams/{stream_id}/delete_topic: receivers of events", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  /** Subscribed; left before the first message; left after it; subscribed after it; never subscribed. */
  let there: TestAccount, gone: TestAccount, left: TestAccount, late: TestAccount;
  let visiting: TestAccount, invited: TestAccount, away: TestAccount;
  const all = Object.fromEntries(clientCapabilities.map((name) => [name, true]));
  const params = { client_capabilities: all };

  before(async () => {
    org = await organization(db);
    const some = (over = {}) => user(db, org.realm, over);
    [there, gone, left, late] = [await some(), await some(), await some(), await some()];
    [visiting, invited, away] = [
      await some({ role: 600 }),
      await some(),
      await some({ isActive: false }),
    ];
  });

  /** Sends two messages; `late` subscribes and `left` unsubscribes between them. */
  async function room(over: ChannelOverrides = {}): Promise<[TestChannel, number, number]> {
    const made = await channel(db, org.owner, {
      ...over,
      subscribers: [org.owner, there, gone, left, visiting, away],
    });
    await unsubscribe(db, made, gone);
    const first = await post(gateway, org.owner, made);
    await unsubscribe(db, made, left);
    await subscribe(db, made, late);
    return [made, first, await post(gateway, org.owner, made)];
  }
  const remove = (made: TestChannel) =>
    gateway.as(org.owner).succeed(deleteTopic, {
      path: { stream_id: made.id },
      params: { topic_name: "lunch" },
    });
  /** The deleted message IDs in each account's events. */
  async function withEvents(made: TestChannel) {
    const accounts = { ...org, there, gone, left, late, visiting, invited };
    const { owner, admin, moderator, member, guest, bot } = accounts;
    const queues = { owner, admin, moderator, member, guest, bot, there, gone, left, late };
    const more = { ...queues, visiting, invited };
    const received = await watch(
      gateway,
      Object.fromEntries(
        Object.entries(more).map(([name, account]) => [name, { account, params }]),
      ),
      () => remove(made),
    );
    return Object.fromEntries(
      Object.entries(received).flatMap(([name, events]) => {
        const ids = events
          .filter(({ type }) => type === "delete_message")
          .flatMap((event) => event["message_ids"] as number[]);
        return ids.length > 0 ? [[name, ids]] : [];
      }),
    );
  }
  const each = (names: readonly string[], ids: readonly number[]) =>
    Object.fromEntries(names.map((name) => [name, ids]));
  const members = ["owner", "admin", "moderator", "member", "bot", "there", "gone", "left", "late"];

  it("of a public channel are all accounts but guests, and subscribed guests", async () => {
    const [made, ...ids] = await room();
    expect(await withEvents(made)).to.deep.equal(each([...members, "invited", "visiting"], ids));
  });

  it("of a web-public channel are all accounts, without a list of receivers", async () => {
    const [made, ...ids] = await room({ isWebPublic: true });
    await setFlags(db, left, 0, ids[0]);
    const { events } = await eventsOf(db, org.realm.id, () => remove(made));
    expect(events.map(({ type, audience }) => [type, audience === null])).to.deep.equal([
      ["delete_message", true],
      ["stream", false],
    ]);
    const [again, ...others] = await room({ isWebPublic: true });
    expect(await withEvents(again)).to.deep.equal(
      each([...members, "invited", "guest", "visiting"], others),
    );
  });

  it("of a private channel with shared history are its readers, for all messages", async () => {
    const group = await userGroup(db, org.realm, { members: [invited, org.guest] });
    const [made, ...ids] = await room({ inviteOnly: true, historyPublicToSubscribers: true });
    await changeChannel(db, made, { canSubscribeGroupId: group.id });
    const readers = ["owner", "there", "late", "invited", "visiting"];
    expect(await withEvents(made)).to.deep.equal(each(readers, ids));
  });

  it("of protected history are its readers, each for the messages they received", async () => {
    const group = await userGroup(db, org.realm, { members: [invited] });
    const [made, first, second] = await room({ inviteOnly: true });
    await changeChannel(db, made, { canSubscribeGroupId: group.id });
    expect(await withEvents(made)).to.deep.equal({
      ...each(["owner", "there", "visiting"], [first, second]),
      late: [second],
    });
  });

  it("who have lost access to the channel only get their unread messages marked as read", async () => {
    const [made, first] = await room({ inviteOnly: true, historyPublicToSubscribers: true });
    const reader = await user(db, org.realm);
    await subscribe(db, made, reader);
    const read = await post(gateway, org.owner, made);
    await setFlags(db, reader, 1, read);
    await unsubscribe(db, made, reader);
    const received = await watch(
      gateway,
      { left: { account: left, params }, reader: { account: reader, params } },
      () => remove(made),
    );
    expect(received.left.map(({ id: _id, ...event }) => event)).to.deep.equal([
      {
        type: "update_message_flags",
        op: "add",
        operation: "add",
        flag: "read",
        messages: [first],
        all: false,
      },
    ]);
    expect(received.reader).to.deep.equal([]);
  });

  it("get one event for each spelling of the topic, and older clients one for each message", async () => {
    const made = await channel(db, org.owner, { subscribers: [there] });
    const ids = [
      await post(gateway, org.owner, made, "lunch"),
      await post(gateway, org.owner, made, "LUNCH"),
      await post(gateway, org.owner, made, "lunch"),
    ];
    const keep = await post(gateway, org.owner, made, "rain");
    const received = await watch(
      gateway,
      { current: { account: there, params }, old: { account: there } },
      () => remove(made),
    );
    const place = { type: "delete_message", message_type: "stream", stream_id: made.id };
    const plain = received.current.map(({ id: _id, ...event }) => event);
    expect(plain).to.deep.equal([
      { ...place, topic: "lunch", message_ids: [ids[0], ids[2]] },
      { ...place, topic: "LUNCH", message_ids: [ids[1]] },
      {
        type: "stream",
        op: "update",
        stream_id: made.id,
        name: made.name,
        property: "first_message_id",
        value: keep,
      },
    ]);
    expect(kindsOf(received.old)).to.deep.equal([
      ...Array(3).fill("delete_message"),
      "stream/update",
    ]);
    const single = received.old.slice(0, 3).map(({ id: _id, ...event }) => event);
    expect(single).to.deep.equal([
      { ...place, topic: "lunch", message_id: ids[0] },
      { ...place, topic: "lunch", message_id: ids[2] },
      { ...place, topic: "LUNCH", message_id: ids[1] },
    ]);
  });
});
