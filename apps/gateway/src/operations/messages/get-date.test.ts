import { getMessages, updateMessageFlagsInNarrow } from "@carillon/contract";
import {
  channel,
  countQueries,
  useScene,
  user,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";
import { all, post, term } from "../../test-support/reading-messages.ts";

const largest = 10_000_000_000_000_000;
const flags = { found_anchor: true, found_oldest: false, found_newest: false };

describe("GET /messages: from a date", () => {
  const scene = useScene();
  let reader: TestAccount;
  let room: TestChannel;
  /** Sent on six days, each at half a second past 9:00. */
  let ids: number[];

  before(async () => {
    const { db, gateway, org } = scene;
    reader = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    ids = [];
    for (let n = 0; n < 6; n++) ids.push(await post(gateway, org.owner, room, `topic ${n % 2}`));
    await db.rows(
      `UPDATE messages SET sent_at = '2026-01-01T09:00:00.5Z'::timestamptz + n * interval '1 day'
       FROM unnest($1::bigint[]) WITH ORDINALITY AS m (message_id, n) WHERE id = message_id`,
      [ids],
    );
  });

  const ask = async (anchor_date: string, more: object = {}, by = reader) => {
    const params = {
      anchor: "date",
      anchor_date,
      num_before: 0,
      num_after: 0,
      narrow: [],
      ...more,
    };
    const {
      messages,
      result: _r,
      msg: _m,
      ...rest
    } = await scene.as(by).succeed(getMessages, { params });
    return { ...rest, ids: messages.map(({ id }) => id) };
  };

  it("starts at the first message sent at or after the date, in every date format", async () => {
    for (const date of [
      "2026-01-04",
      "20260104",
      "2026-W01-7",
      "2026W017",
      "2026-004",
      "2026004",
      "2026-01-04T09",
      "2026-01-04T09:00",
      "2026-01-04 09:00:00Z",
      "20260104T090000.5",
      "2026-01-04T09:00:00,499999",
      "2026-01-04T10:30+0130",
      "2026-01-03T23:00:00-10",
      "2026-01-03T24:00",
      "2026-01-03T23:59:60Z",
      "2026-01-03T09:00:00.500001Z",
    ])
      expect((await ask(date)).anchor, date).to.equal(ids[2]);
    expect((await ask("2026-01-04T09:00:00.5000001Z")).anchor).to.equal(ids[3]);
    expect((await ask("2026-W02")).anchor).to.equal(ids[3]);
    for (const date of ["2026", "2026-01", "0000-01-01", "-271821-04-20", "1970-01-01", "0099"])
      expect((await ask(date)).anchor, date).to.equal(ids[0]);
  });

  it("returns a window like other anchors", async () => {
    const around = { num_before: 1, num_after: 2 };
    expect(await ask("2026-01-04", around)).to.deep.equal({
      ...flags,
      anchor: ids[2],
      history_limited: false,
      ids: ids.slice(1, 5),
    });
    const narrow = [term("channel", room.id), term("topic", "topic 1")];
    expect(await ask("2026-01-04", { ...around, narrow })).to.deep.include({
      ...flags,
      anchor: ids[3],
      found_newest: true,
      ids: [ids[1], ids[3], ids[5]],
    });
    const apart = { num_before: 0, num_after: 1, include_anchor: false };
    expect(await ask("2026-01-04", apart)).to.deep.include({ ids: [ids[3]], found_anchor: false });
    const words = {
      ...around,
      narrow: [term("search", "soup"), term("sender", scene.org.owner.id)],
    };
    expect(await ask("2026-01-05", words)).to.deep.include({ anchor: ids[3], ids: ids.slice(2) });
    // An account that has received nothing sees only the public history.
    const { admin } = scene.org;
    const shared = { narrow: [term("channel", room.id)] };
    expect(await ask("2026-01-04", shared, admin)).to.deep.include({ anchor: ids[2] });
    const nothing = { found_anchor: false, found_oldest: false, found_newest: false };
    expect(await ask("2026-01-04", {}, admin)).to.deep.include({ ...nothing, anchor: largest });
  });

  it("ends at the newest message if none was sent since, and returns nothing if nothing matches", async () => {
    for (const date of ["2026-01-07T09:00:01", "2026-02", "9999-12-31", "+275760-09-13"])
      expect(await ask(date, { num_before: 1, num_after: 5 }), date).to.deep.include({
        ...flags,
        anchor: ids[5],
        ids: ids.slice(-2),
        found_newest: true,
      });
    for (const narrow of [[term("topic", "none")], [term("search", "zebra")], [term("dm", [])]])
      for (const date of ["2026-01-04", "9999-12-31"])
        expect(await ask(date, { narrow, num_before: 9, num_after: 9 })).to.deep.equal({
          anchor: largest,
          found_anchor: false,
          found_oldest: false,
          found_newest: false,
          history_limited: false,
          ids: [],
        });
  });

  it("is overridden by the deprecated parameter, and ignored without its anchor", async () => {
    await scene.db.rows("UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1", [
      reader.id,
    ]);
    expect((await ask("2026-01-04", { use_first_unread_anchor: true })).anchor).to.equal(largest);
    expect((await ask("no date", { anchor: `${ids[1]}` })).anchor).to.equal(ids[1]);
  });

  it("runs a few statements more than a window around a message", async () => {
    for (const narrow of [[], [term("channel", room.id)], [term("topic", "topic 1")]])
      for (const date of ["2026-01-04", "2027", "1970"]) {
        const plain = await countQueries(scene.db, () => ask("", { anchor: `${ids[1]}`, narrow }));
        const dated = await countQueries(scene.db, () => ask(date, { narrow }));
        expect(dated.count - plain.count).to.be.within(2, 6);
      }
  });

  it("also selects messages for changes of flags in a narrow", async () => {
    const { db, org } = scene;
    const params = { op: "add", flag: "starred", narrow: [term("channel", room.id)] };
    const change = (more: object) =>
      scene.as(reader).succeed(updateMessageFlagsInNarrow, { params: { ...params, ...more } });
    const dated = { anchor: "date", anchor_date: "2026-01-04T09:00", num_before: 0, num_after: 1 };
    expect(await change(dated)).to.deep.include({
      processed_count: 2,
      updated_count: 2,
      first_processed_id: ids[2],
      last_processed_id: ids[3],
      found_oldest: false,
      found_newest: false,
    });
    const starred = await all(scene.gateway, reader, [term("is", "starred")]);
    expect(starred.messages.map(({ id }) => id)).to.deep.equal(ids.slice(2, 4));
    expect(await change({ ...dated, anchor_date: "2027", op: "remove" })).to.include({
      processed_count: 1,
      updated_count: 0,
      first_processed_id: ids[5],
    });
    const empty = await channel(db, org.realm, { subscribers: [reader] });
    expect(await change({ ...dated, narrow: [term("channel", empty.id)] })).to.deep.include({
      processed_count: 0,
      first_processed_id: null,
      last_processed_id: null,
      found_oldest: false,
      found_newest: false,
    });
  });
});
