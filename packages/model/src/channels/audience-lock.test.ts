import { channel, organization, useDatabase, waitFor, type TestChannel } from "@carillon/testkit";
import { expect } from "chai";
import { lockAudiences, lockAudiencesShared, lockAudiencesSoon } from "./audience-lock.ts";

describe("The audience lock of a channel", () => {
  const db = useDatabase();
  let room: TestChannel;
  let elsewhere: TestChannel;
  before(async () => {
    room = await channel(db, (await organization(db)).owner);
    const other = await organization(db);
    // Their ids belong to the same one of the 64 locks.
    await db.rows("SELECT setval(pg_get_serial_sequence('channels', 'id'), $1)", [room.id + 63]);
    elsewhere = await channel(db, other.owner);
    expect(elsewhere.id).to.equal(room.id + 64);
  });

  /**
   * Returns the result of taking the channel's lock while another transaction holds it exclusively, with a lock
   * timeout.
   */
  const beside = ({ id }: TestChannel, take: typeof lockAudiencesShared) =>
    db.transaction(async (holder) => {
      await lockAudiences(holder, [room.id]);
      return db
        .transaction(async (tx) => {
          await tx.rows("SET LOCAL lock_timeout = 100");
          await take(tx, [id]);
          return "taken";
        })
        .catch((error: { code?: string }) => error.code);
    });

  it("blocks sending to the channel and other changes of its audience", async () => {
    expect(await beside(room, lockAudiencesShared)).to.equal("55P03");
    expect(await beside(room, lockAudiences)).to.equal("55P03");
  });

  it("does not block other organizations", async () => {
    expect(await beside(elsewhere, lockAudiencesShared)).to.equal("taken");
    expect(await beside(elsewhere, lockAudiences)).to.equal("taken");
  });

  it("is waited for together with those of other channels: the time left for the next lock decreases", async () => {
    const { owner } = await organization(db);
    const rooms = [await channel(db, owner), await channel(db, owner), await channel(db, owner)];
    const [first, second, third] = rooms
      .map(({ id }) => id)
      .toSorted((a, b) => (a & 63) - (b & 63));
    const waited = async (ms: number) => {
      const [row] = await db.rows<{ waits: boolean }>(
        `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'
           AND clock_timestamp() - query_start > make_interval(secs => ${ms / 1_000})) AS waits`,
      );
      return row?.waits ?? false;
    };
    let taking: Promise<number> = Promise.resolve(0);
    await db.transaction(async (ofSecond) => {
      await lockAudiencesShared(ofSecond, [second ?? 0]);
      await db.transaction(async (ofFirst) => {
        await lockAudiencesShared(ofFirst, [first ?? 0]);
        taking = db.transaction(async (tx) => {
          await lockAudiencesSoon(tx, [first ?? 0, second ?? 0, third ?? 0], 60_000);
          const [row] = await tx.rows<{ ms: string }>(
            "SELECT setting AS ms FROM pg_settings WHERE name = 'lock_timeout'",
          );
          return Number(row?.ms);
        });
        await waitFor(() => waited(300), { what: "the first lock is waited for" });
      });
      await waitFor(() => waited(600), { what: "the second lock is waited for" });
    });
    expect(await taking).to.be.within(1, 59_400);
  });

  it("is given up when the time for several is over", async () => {
    const { owner } = await organization(db);
    const ids = [(await channel(db, owner)).id, (await channel(db, owner)).id];
    const outcome = await db.transaction(async (holder) => {
      await lockAudiencesShared(holder, ids);
      return db
        .transaction((tx) => lockAudiencesSoon(tx, ids, 50))
        .catch((error: { code?: string }) => error.code);
    });
    expect(outcome).to.equal("55P03");
  });
});
