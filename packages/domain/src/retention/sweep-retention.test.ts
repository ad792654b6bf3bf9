import type { Database } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import {
  captureLog,
  changeOrganization,
  changesOf,
  channel,
  eventsOf,
  organization,
  pastMessages,
  rowsRead,
  send,
  toUsers,
  useDatabase,
  useGateway,
  useBlocker,
  type ChannelOverrides,
  type LoggedEvent,
  type PastMessages,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { expiredPlaces, sweepRetention } from "./sweep-retention.ts";

describe("The sweep of retention", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const blocker = useBlocker(db);
  let org: TestOrganization;

  beforeEach(async () => {
    await db.rows("UPDATE realms SET message_retention_days = NULL");
    await db.rows("UPDATE channels SET message_retention_days = NULL");
    org = await organization(db);
  });

  const sweep = (more: { db?: Database; signal?: AbortSignal; log?: typeof silentLogger } = {}) =>
    sweepRetention({ db, log: silentLogger, signal: new AbortController().signal, ...more });
  const eventsWhile = async (work: () => Promise<unknown>) =>
    (await eventsOf(db, org.realm.id, work)).events;
  const room = (days: number | null, over: ChannelOverrides = {}) =>
    channel(db, org.owner, {
      subscribers: [org.owner, org.member],
      row: { messageRetentionDays: days },
      ...over,
    });
  const past = (made: TestChannel, daysAgo: number, more: PastMessages = {}) =>
    pastMessages(db, made, org.owner, { daysAgo, ...more });
  const keepFor = (messageRetentionDays: number | null) =>
    changeOrganization(db, org.realm, { messageRetentionDays });
  const left = async (ids: readonly number[]) => {
    const rows = await db.rows<{ id: number }>(
      "SELECT id FROM messages WHERE id = ANY($1::bigint[]) ORDER BY id",
      [ids],
    );
    return rows.map(({ id }) => id);
  };
  const deletions = (events: readonly LoggedEvent[]) =>
    events.flatMap(({ type, payload }) =>
      type === "delete_message" ? [payload["message_ids"] as number[]] : [],
    );
  const tomorrow = () => db.rows("UPDATE daily_work SET day = day - 1");

  it("keeps messages for their channel's period or else the organization's, in archived channels too", async () => {
    await keepFor(5);
    const rooms = {
      own: await room(2),
      organization: await room(null),
      ever: await room(-1),
      archived: await room(2, { isArchived: true }),
    };
    const gone = [
      ...(await past(rooms.own, 3)),
      ...(await past(rooms.organization, 6)),
      ...(await past(rooms.archived, 3)),
    ];
    const kept = [
      ...(await past(rooms.own, 1)),
      ...(await past(rooms.organization, 4)),
      ...(await past(rooms.ever, 4_000)),
    ];
    expect(await sweep()).to.equal(3);
    expect(await left([...gone, ...kept])).to.deep.equal(kept);
    const runs = await db.rows(
      "SELECT channel_id, cause, actor_id FROM message_removals WHERE realm_id = $1 ORDER BY channel_id",
      [org.realm.id],
    );
    expect(runs).to.deep.equal(
      [rooms.own, rooms.organization, rooms.archived].map(({ id }) => ({
        channel_id: id,
        cause: "retention",
        actor_id: null,
      })),
    );
  });

  for (const days of [null, -1])
    it(`keeps everything if the organization's period is ${days} and the channel has none`, async () => {
      await keepFor(days);
      const ids = await past(await room(null), 9_000);
      expect(await sweep()).to.equal(0);
      expect(await left(ids)).to.deep.equal(ids);
    });

  it("supports periods longer than PostgreSQL's range of dates", async () => {
    const ids = await past(await room(2_147_483_647), 9_000);
    const { log, lines } = captureLog();
    expect(await sweep({ log })).to.equal(0);
    expect([await left(ids), lines]).to.deep.equal([ids, []]);
  });

  it("sends events to accounts that could see the messages, updates the channel's first message, and posts nothing", async () => {
    const made = await room(3, { inviteOnly: true });
    const gone = await past(made, 4, { count: 2 });
    const [next] = await past(made, 2);
    const events = await eventsWhile(() => sweep());
    expect(events.map(({ type, op, payload, audience }) => [type, op, payload, audience]))
      .to.deep //
      .equal([
        [
          "delete_message",
          null,
          { message_ids: gone, message_type: "stream", stream_id: made.id, topic: "lunch" },
          [org.owner.id, org.member.id],
        ],
        [
          "stream",
          "update",
          { stream_id: made.id, name: made.name, property: "first_message_id", value: next },
          [org.owner.id, org.admin.id, org.member.id],
        ],
      ]);
  });

  it("keeps direct messages for the organization's period, and sends events to accounts with copies", async () => {
    const { owner, member, guest } = org;
    const write = (to: number[]) => send(gateway.as(owner), toUsers(to));
    const [old, group, fresh] = [
      await write([member.id]),
      await write([member.id, guest.id]),
      await write([member.id]),
    ];
    await db.rows(
      "UPDATE messages SET sent_at = now() - interval '5 days' WHERE id = ANY($1::bigint[])",
      [[old, group]],
    );
    expect(await sweep()).to.equal(0);
    await keepFor(4);
    await tomorrow();
    const events = await eventsWhile(() => sweep());
    expect(events.map(({ payload, audience }) => [payload, audience])).to.deep.equal([
      [{ message_ids: [old], message_type: "private" }, [owner.id, member.id]],
      [{ message_ids: [group], message_type: "private" }, [owner.id, member.id, guest.id]],
    ]);
    expect(await left([old, group, fresh])).to.deep.equal([fresh]);
  });

  it("runs once a day", async () => {
    const made = await room(3);
    await past(made, 4);
    expect(await sweep()).to.equal(1);
    const late = await past(made, 4);
    const { tables } = await changesOf(db, () => sweep());
    expect(tables).to.deep.equal([]);
    await tomorrow();
    expect(await sweep()).to.equal(1);
    expect(await left(late)).to.deep.equal([]);
  });

  it("continues after an interruption on the same day", async () => {
    const made = await room(3);
    const ids = await past(made, 4, { count: 2_500 });
    const stopping = new AbortController();
    const transaction: Database["transaction"] = async (work, options) => {
      const result = await db.transaction(work, options);
      if ((await left(ids)).length < ids.length) stopping.abort();
      return result;
    };
    const breaking = Object.create(db, { transaction: { value: transaction } }) as Database;
    expect(await sweep({ db: breaking, signal: stopping.signal })).to.equal(1_000);
    expect(await left(ids)).to.deep.equal(ids.slice(1_000));
    const events = await eventsWhile(() => sweep());
    expect(deletions(events)).to.deep.equal([ids.slice(1_000, 2_000), ids.slice(2_000)]);
  });

  it("ends with the batch that removes the last message, even if the batch is full", async () => {
    const made = await room(3);
    const ids = await past(made, 4, { count: 1_000 });
    const kept = await past(made, 1);
    let since = 0;
    const transaction: Database["transaction"] = async (work, options) => {
      const result = await db.transaction(work, options);
      if ((await left(ids)).length === 0) since++;
      return result;
    };
    const counting = Object.create(db, { transaction: { value: transaction } }) as Database;
    expect(await sweep({ db: counting })).to.equal(1_000);
    expect(await left(kept)).to.deep.equal(kept);
    // One for this batch, one for recording the day.
    expect(since).to.equal(2);
  });

  it("removes each message once if several processes run at once", async () => {
    const made = await room(3);
    const ids = await past(made, 4, { count: 1_500 });
    let removed = 0;
    const events = await eventsWhile(async () => {
      const counts = await Promise.all([sweep(), sweep(), sweep()]);
      removed = counts.reduce((sum, count) => sum + count, 0);
      removed += await sweep();
    });
    expect(removed).to.equal(1_500);
    expect(deletions(events).flat()).to.have.lengthOf(1_500).and.to.have.members(ids);
  });

  it("keeps messages whose channel's period was extended meanwhile", async () => {
    const made = await room(3);
    const ids = await past(made, 4);
    await blocker.lock("UPDATE channels SET message_retention_days = -1 WHERE id = $1", [made.id]);
    const sweeping = sweep();
    await blocker.untilWaiting(1, "the sweep waits for the channel");
    await blocker.lock("COMMIT");
    expect(await sweeping).to.equal(0);
    expect(await left(ids)).to.deep.equal(ids);
  });

  it("keeps messages if the organization's period was extended meanwhile", async () => {
    await keepFor(3);
    const ids = await past(await room(null), 4);
    await blocker.lock("UPDATE realms SET message_retention_days = NULL WHERE id = $1", [
      org.realm.id,
    ]);
    const sweeping = sweep();
    await blocker.untilWaiting(1, "the sweep waits for the organization");
    await blocker.lock("COMMIT");
    expect(await sweeping).to.equal(0);
    expect(await left(ids)).to.deep.equal(ids);
  });

  it("continues with the other channels if one fails, and retries it on the same day", async () => {
    const [broken, sound] = [await room(3), await room(3)];
    const [stuck, gone] = [await past(broken, 4), await past(sound, 4)];
    await db.rows(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`,
    );
    await db.rows(
      `CREATE TRIGGER refuse BEFORE DELETE ON messages FOR EACH ROW
       WHEN (OLD.recipient_id = ${broken.recipientId}) EXECUTE FUNCTION refuse()`,
    );
    const { log, lines } = captureLog();
    expect(await sweep({ log })).to.equal(1);
    expect(await left([...stuck, ...gone])).to.deep.equal(stuck);
    expect(lines.map(({ msg, channelId }) => [msg, channelId])).to.deep.equal([
      ["messages could not be removed", broken.id],
    ]);
    await db.rows("DROP FUNCTION refuse CASCADE");
    expect(await sweep()).to.equal(1);
  });

  it("skips deactivated organizations, and does not affect other organizations", async () => {
    const other = await organization(db);
    const theirs = await channel(db, other.owner, { row: { messageRetentionDays: 3 } });
    const ids = await pastMessages(db, theirs, other.owner, { daysAgo: 4 });
    await changeOrganization(db, other.realm, { deactivated: true });
    await past(await room(3), 4);
    expect(await sweep()).to.equal(1);
    expect(await left(ids)).to.deep.equal(ids);
    await changeOrganization(db, other.realm, { deactivated: false });
    expect(await sweep()).to.equal(1);
    expect(await left(ids)).to.deep.equal([]);
  });

  it("finds expired messages with one lookup for each channel, however many messages there are", async () => {
    await keepFor(30);
    const rooms = [await room(null), await room(null), await room(7), await room(-1)];
    for (const made of rooms) await past(made, 5, { count: 4_000 });
    await past(await room(3), 4, { count: 4_000 });
    await db.rows("ANALYZE messages, recipients, channels, realms");
    const { found, read } = await rowsRead(db, expiredPlaces, [org.realm.id], "messages");
    expect(found).to.equal(1);
    expect(read).to.be.within(1, 6);
  });
});
