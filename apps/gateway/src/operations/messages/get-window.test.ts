import { getMessages } from "@carillon/contract";
import {
  changeSubscription,
  channel,
  organization,
  setTopicPolicy,
  useDatabase,
  useGateway,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { leaveUnread, post, term, write } from "../../test-support/reading-messages.ts";

const largest = 10_000_000_000_000_000;

describe("GET /messages: the window", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let room: TestChannel;
  let other: TestChannel;
  /** Messages of the channel, each followed by one of another channel. */
  const ids: number[] = [];
  const others: number[] = [];

  before(async () => {
    org = await organization(db);
    room = await channel(db, org.realm, { subscribers: [org.member, org.owner] });
    other = await channel(db, org.realm, { subscribers: [org.member, org.owner] });
    for (let i = 0; i < 6; i++) {
      ids.push(await post(gateway, org.owner, room, `topic ${i % 2}`));
      others.push(await post(gateway, org.owner, other));
    }
  });

  const at = (i: number) => ids.at(i) ?? 0;
  const ask = async (anchor: unknown, numBefore: number, numAfter: number, more: object = {}) => {
    const params = {
      anchor,
      num_before: numBefore,
      num_after: numAfter,
      narrow: [term("channel", room.id)],
      ...more,
    };
    const { messages, ...rest } = await gateway.as(org.member).succeed(getMessages, { params });
    return { ...rest, ids: messages.map(({ id }) => id) };
  };

  it("surrounds a message, sorted by ID", async () => {
    expect(await ask(at(2), 1, 2)).to.include({
      anchor: at(2),
      found_anchor: true,
      found_oldest: false,
      found_newest: false,
      history_limited: false,
    });
    expect((await ask(at(2), 1, 2)).ids).to.deep.equal(ids.slice(1, 5));
    expect((await ask(at(2), 1, 2, { narrow: [] })).ids).to.deep.equal([
      others[1],
      at(2),
      others[2],
      at(3),
    ]);
    expect(await ask(at(2), 9, 9)).to.include({ found_oldest: true, found_newest: true });
    expect((await ask(at(2), 2, 3)).ids).to.deep.equal(ids);
    expect(await ask(at(2), 2, 3)).to.include({ found_oldest: false, found_newest: false });
  });

  it("does not replace an anchor message that does not match or is excluded", async () => {
    const anchor = others[2];
    expect(await ask(anchor, 1, 1)).to.deep.include({
      ids: [at(2), at(3)],
      found_anchor: false,
      anchor,
    });
    expect((await ask(anchor, 0, 2)).ids).to.deep.equal([at(3), at(4)]);
    expect(await ask(anchor, 0, 0)).to.deep.include({
      ids: [],
      found_oldest: false,
      found_newest: false,
    });
    expect(await ask(at(3), 0, 0)).to.deep.include({ ids: [at(3)], found_anchor: true });
    expect(await ask(at(3), 0, 1, { include_anchor: false })).to.deep.include({
      ids: [at(4)],
      found_anchor: false,
    });
  });

  it("begins at the oldest message", async () => {
    for (const anchor of ["oldest", "0", "-5", "-99999999999999999999"])
      expect(await ask(anchor, 5, 2)).to.deep.include({
        ids: ids.slice(0, 2),
        anchor: 0,
        found_oldest: true,
        found_newest: false,
        found_anchor: false,
      });
    expect(await ask("oldest", 0, 0)).to.deep.include({
      ids: [],
      found_oldest: true,
      found_newest: false,
    });
    expect(await ask("oldest", 0, 6)).to.include({ found_newest: false });
    expect(await ask("oldest", 0, 7)).to.include({ found_newest: true });
  });

  it("ends at the newest message, also for anchors above the range of integer", async () => {
    for (const anchor of ["newest", String(largest), "99999999999999999999", "9".repeat(300)])
      expect(await ask(anchor, 2, 5)).to.deep.include({
        ids: ids.slice(-2),
        anchor: largest,
        found_newest: true,
        found_oldest: false,
        found_anchor: false,
      });
    expect(await ask("newest", 0, 5)).to.deep.include({
      ids: [],
      found_newest: true,
      found_oldest: false,
    });
    expect(await ask("3000000000", 2, 5)).to.deep.include({
      ids: ids.slice(-2),
      anchor: 3_000_000_000,
      found_newest: true,
    });
    expect(await ask("9000000000000000", 1, 0)).to.deep.include({
      ids: ids.slice(-1),
      anchor: 9_000_000_000_000_000,
      found_newest: false,
    });
  });

  it("reports both ends if there are no messages", async () => {
    const nothing = { narrow: [term("channel", room.id), term("topic", "nothing of that")] };
    expect(await ask(at(2), 1, 1, nothing)).to.deep.include({
      ids: [],
      found_oldest: true,
      found_newest: true,
      found_anchor: false,
    });
  });

  it("returns messages by ID without duplicates, sorted and filtered", async () => {
    const byId = async (message_ids: number[], narrow: unknown = [], account = org.member) => {
      const { messages, ...rest } = await gateway
        .as(account)
        .succeed(getMessages, { params: { message_ids, narrow } });
      expect(rest).to.deep.equal({
        result: "success",
        msg: "",
        found_anchor: false,
        found_oldest: false,
        found_newest: false,
        history_limited: false,
      });
      return messages.map(({ id }) => id);
    };
    const wanted = [at(3), at(1), at(3), 999_999_999, others[0] ?? 0];
    expect(await byId(wanted)).to.deep.equal(
      [at(1), at(3), others[0]].sort((a = 0, b = 0) => a - b),
    );
    expect(await byId(wanted, [term("channel", room.id)])).to.deep.equal([at(1), at(3)]);
    expect(await byId([])).to.deep.equal([]);
    // Messages of the shared history only match if the narrow includes it.
    expect(await byId(wanted, [], org.admin)).to.deep.equal([]);
    expect(await byId(wanted, [term("channel", room.id)], org.admin)).to.deep.equal([at(1), at(3)]);
  });

  describe("anchored at the first unread message", () => {
    const first = async (narrow: unknown = [], more: object = {}) => {
      const params = { anchor: "first_unread", num_before: 0, num_after: 0, narrow, ...more };
      return (await gateway.as(org.member).succeed(getMessages, { params })).anchor;
    };

    it("starts at the lowest one that matches", async () => {
      await leaveUnread(db, org.member, at(2), at(4), others[0] ?? 0);
      expect(await first()).to.equal(others[0]);
      expect(await first([term("channel", room.id)])).to.equal(at(2));
      expect(await first([term("channel", room.id), term("topic", "topic 1")])).to.equal(largest);
      expect(await first([term("is", "unread"), term("topic", "topic 0")])).to.equal(at(2));
      expect(await first([], { anchor: "oldest", use_first_unread_anchor: true })).to.equal(
        others[0],
      );
    });

    it("starts at the newest message if all are read", async () => {
      await leaveUnread(db, org.member);
      const params = { anchor: "first_unread", num_before: 2, num_after: 5, narrow: [] };
      const body = await gateway.as(org.member).succeed(getMessages, { params });
      expect(body).to.include({ anchor: largest, found_newest: true, found_anchor: false });
      expect(body.messages.map(({ id }) => id)).to.deep.equal([at(5), others[5]]);
    });

    it("skips muted messages, except in the view of a muted channel itself", async () => {
      const direct = await write(gateway, org.owner, [org.member]);
      await leaveUnread(db, org.member, at(0), at(1), direct);
      await changeSubscription(db, room, org.member, { isMuted: true });
      expect(await first()).to.equal(direct);
      expect(await first([term("is", "dm")])).to.equal(direct);
      expect(await first([term("channel", room.id)])).to.equal(at(0));
      await setTopicPolicy(db, org.member, room, "Topic 1", "unmuted");
      expect(await first()).to.equal(at(1));
      await setTopicPolicy(db, org.member, room, "topic 1", "followed");
      expect(await first()).to.equal(at(1));
      await setTopicPolicy(db, org.member, room, "topic 0", "muted");
      expect(await first([term("channel", room.id)])).to.equal(at(1));
      await changeSubscription(db, room, org.member, { isMuted: false });
      expect(await first()).to.equal(at(1));
    });
  });
});
