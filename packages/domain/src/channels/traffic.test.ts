import { lockClass, type Database } from "@carillon/db";
import { channelUpkeep } from "@carillon/jobs";
import {
  changesOf,
  channel,
  eventsOf,
  failingDatabase,
  organization,
  pastMessages,
  useBlocker,
  useDatabase,
  type ChannelOverrides,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { countMessages } from "./traffic.ts";
import { keepUpChannels } from "./keep-up-channels.ts";

describe("The weekly traffic of channels", () => {
  const db = useDatabase();
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const room = (daysOld: number, over: ChannelOverrides = {}) =>
    channel(db, org.owner, {
      row: { dateCreated: new Date(Date.now() - daysOld * 86_400_000 - 60_000) },
      ...over,
    });
  const sent = (made: TestChannel, count: number, daysAgo: number) =>
    pastMessages(db, made, org.owner, { count, daysAgo, holders: [] });
  const countSeen = (size = 1_000) => db.transaction((tx) => countMessages(tx, size));
  const minutesPass = () =>
    db.rows("UPDATE traffic_place SET seen_at = seen_at - interval '6 minutes'");
  /** Counts the existing messages, as if six minutes passed before and after a run sees them. */
  const count = async (size?: number) => {
    await minutesPass();
    while ((await countSeen()) > 0);
    await minutesPass();
    return countSeen(size);
  };
  const keepUp = (through: Database = db, signal = new AbortController().signal) =>
    keepUpChannels(through, signal);
  const trafficOf = async (...rooms: readonly TestChannel[]) => {
    const rows = await db.rows<{ id: number; traffic: number | null }>(
      "SELECT id, weekly_traffic AS traffic FROM channels WHERE id = ANY($1::int[])",
      [rooms.map(({ id }) => id)],
    );
    const byId = new Map(rows.map(({ id, traffic }) => [id, traffic]));
    return rooms.map(({ id }) => byId.get(id));
  };
  const tomorrow = () => db.rows("UPDATE daily_work SET day = day - 1");

  it("is the average of four weeks or of the channel's age, and unknown in its first week", async () => {
    const [old, young, fresh, still, busy] = [
      await room(90),
      await room(14),
      await room(6),
      await room(90),
      await room(90),
    ];
    await sent(old, 30, 3);
    await sent(old, 10, 20);
    await sent(old, 1_000, 29);
    await sent(young, 31, 3);
    await sent(fresh, 9, 3);
    await sent(busy, 4_999, 3);
    await count(10_000);
    await keepUp();
    expect(await trafficOf(old, young, fresh, still, busy)).to.deep.equal([10, 15, null, 0, 1_200]);
  });

  it("is at least one if a message was sent, and excludes today", async () => {
    const [seldom, today] = [await room(90), await room(90)];
    await sent(seldom, 1, 5);
    await sent(today, 40, 0);
    await db.rows(
      "UPDATE messages SET sent_at = now() - interval '6 minutes' WHERE recipient_id = $1",
      [today.recipientId],
    );
    await count();
    await keepUp();
    const [one, other] = await trafficOf(seldom, today);
    // Shortly after midnight, six minutes ago was yesterday.
    expect(one).to.equal(1);
    expect(other).to.be.oneOf([0, 10]);
  });

  const counted = async (...rooms: readonly TestChannel[]) => {
    const [row] = await db.rows<{ sum: number }>(
      "SELECT coalesce(sum(messages), 0)::int AS sum FROM channel_traffic WHERE channel_id = ANY($1::int[])",
      [rooms.map(({ id }) => id)],
    );
    return row?.sum;
  };

  it("counts each message once, in steps, five minutes after it has seen it", async () => {
    const made = await room(90);
    await sent(made, 5, 2);
    expect(await count(2)).to.equal(2);
    expect(await countSeen(2)).to.equal(2);
    await sent(made, 3, 0);
    expect(await countSeen(2)).to.equal(1);
    expect(await countSeen(2), "the new messages have just been seen").to.equal(0);
    const { tables } = await changesOf(db, () => countSeen());
    expect(tables).to.deep.equal([]);
    await minutesPass();
    expect(await countSeen()).to.equal(3);
    await minutesPass();
    expect((await changesOf(db, () => countSeen())).tables).to.deep.equal([]);
    expect(await counted(made)).to.equal(8);
  });

  describe("while a message is not committed yet", () => {
    const blocker = useBlocker(db);

    it("counts it later, though an import has stored old messages with higher ids", async () => {
      const made = await room(90);
      const [first] = await sent(made, 1, 2);
      await count();
      await blocker.lock(
        `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id)
         SELECT realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content, render_version, client_id
         FROM messages WHERE id = $1`,
        [first],
      );
      await sent(made, 3, 2);
      await minutesPass();
      await countSeen();
      await blocker.lock("COMMIT");
      await db.rows("UPDATE messages SET sent_at = sent_at - interval '6 minutes'");
      await minutesPass();
      await countSeen();
      expect(await counted(made)).to.equal(5);
    });
  });

  it("is updated once a day, writes nothing if unchanged, and sends no event", async () => {
    const made = await room(90);
    await sent(made, 40, 3);
    await count();
    const { events } = await eventsOf(db, org.realm.id, () => keepUp());
    expect(events).to.deep.equal([]);
    expect(await trafficOf(made)).to.deep.equal([10]);
    expect((await changesOf(db, () => keepUp())).tables).to.deep.equal([]);
    await tomorrow();
    expect((await changesOf(db, () => keepUp())).tables).to.deep.equal(["daily_work"]);
    await db.rows("UPDATE channel_traffic SET day = day - 26");
    await tomorrow();
    await keepUp();
    expect(await trafficOf(made)).to.deep.equal([0]);
    expect(await db.rows("SELECT FROM channel_traffic WHERE channel_id = $1", [made.id]))
      .to.deep //
      .equal([]);
  });

  it("stops when aborted, and continues on the same day", async () => {
    const made = await room(90);
    await sent(made, 40, 3);
    await count();
    expect(await keepUp(db, AbortSignal.abort())).to.equal(0);
    expect(await trafficOf(made)).to.deep.equal([null]);
    await Promise.all([keepUp(), keepUp()]);
    await keepUp();
    expect(await trafficOf(made)).to.deep.equal([10]);
  });

  describe("when two processes compute it", () => {
    const blocker = useBlocker(db);
    let made: TestChannel;

    beforeEach("leave work in one organization only", async () => {
      made = await room(90);
      await sent(made, 40, 3);
      await count();
      await keepUp();
      await db.rows("UPDATE channels SET weekly_traffic = NULL WHERE id = $1", [made.id]);
      await db.rows("DELETE FROM daily_work WHERE realm_id = $1", [org.realm.id]);
    });

    it("is computed by the process that has the lock", async () => {
      let other: number | undefined;
      const first = failingDatabase(db, ({ name }) => {
        if (name !== "traffic-store") return undefined;
        return (async () => {
          const { tables } = await changesOf(db, async () => (other = await keepUp()));
          expect(tables).to.deep.equal([]);
          return undefined;
        })();
      });
      expect(await keepUp(first)).to.equal(1);
      expect(other).to.equal(0);
      expect(await trafficOf(made)).to.deep.equal([10]);
    });

    it("is left to the other process by one that loses the lock between two transactions", async () => {
      // The transactions after the one that marks quiet channels: the traffic, then the note that the day's work is done.
      let later: number | undefined;
      const first = failingDatabase(db, ({ name }) => {
        if (name === "quiet-channels") later = 0;
        if (name !== "leader-lock" || later === undefined) return undefined;
        if (++later === 1)
          return blocker
            .lock("SELECT pg_advisory_xact_lock($1, hashtext($2))", [
              lockClass.leader,
              `${channelUpkeep.name}/${org.realm.id}`,
            ])
            .then(() => undefined);
        return later === 2 ? blocker.release().then(() => undefined) : undefined;
      });
      expect(await keepUp(first)).to.equal(0);
      expect(later).to.be.at.least(1);
      await blocker.release();
      expect(await keepUp()).to.equal(1);
      expect(await trafficOf(made)).to.deep.equal([10]);
    });
  });

  it("skips archived channels", async () => {
    const made = await room(90, { isArchived: true });
    await sent(made, 40, 3);
    await count();
    await keepUp();
    expect(await trafficOf(made)).to.deep.equal([null]);
  });
});
