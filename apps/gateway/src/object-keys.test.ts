import { reservationMs } from "@carillon/domain";
import { useBlocker, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { ObjectKeys } from "./object-keys.ts";

describe("Keys of new objects", () => {
  const db = useDatabase();
  const blocker = useBlocker(db);
  let now = 0;
  let keys: ObjectKeys;

  beforeEach(async () => {
    await db.rows("DELETE FROM stored_objects");
    keys = new ObjectKeys(db, { now: () => now });
  });

  /** The keys of the ledger, by the statement that has reserved them. */
  const reserved = async () => {
    const rows = await db.rows<{ keys: string[] }>(
      "SELECT array_agg(key) AS keys FROM stored_objects GROUP BY xmin::text ORDER BY count(*)",
    );
    return rows.map((row) => row.keys);
  };
  /** Takes a key, and several more while the first one is being reserved. */
  const takeAtOnce = async (more: number) => {
    await blocker.lock("LOCK TABLE stored_objects IN SHARE MODE");
    const first = keys.take();
    await blocker.untilWaiting(1, "the first key is being reserved");
    const others = Array.from({ length: more }, () => keys.take());
    await blocker.release();
    return Promise.all([first, ...others]);
  };

  it("are reserved one by one for uploads that come one by one, for a little more than a day", async () => {
    const taken = [await keys.take(), await keys.take()];
    expect((await reserved()).flat()).to.have.members(taken);
    const [kept] = await db.rows(
      `SELECT bool_and(delete_after > now() + interval '24 hours') AS day,
        bool_and(delete_after < now() + interval '25 hours') AS limited FROM stored_objects`,
    );
    expect(kept).to.deep.equal({ day: true, limited: true });
  });

  it("are reserved together for uploads that come at once, and some for later ones", async () => {
    const taken = await takeAtOnce(3);
    expect(new Set(taken).size).to.equal(4);
    const [alone = [], shared = []] = await reserved();
    expect([alone.length, shared.length]).to.deep.equal([1, 12]);
    expect(new Set(shared).size).to.equal(12);
    // Their objects are in one folder, whose syncs they share.
    expect(new Set(shared.map((key) => key.slice(0, 2))).size).to.equal(1);
    for (let later = 0; later < 9; later++) taken.push(await keys.take());
    expect([...alone, ...shared]).to.have.members(taken);
    await keys.take();
    expect(await reserved()).to.have.length(3);
  });

  it("are not used when they have waited for too long", async () => {
    const taken = await takeAtOnce(2);
    const [, shared = []] = await reserved();
    now += reservationMs;
    const late = await keys.take();
    expect([...taken, ...shared]).not.to.include(late);
  });

  it("are forgotten when the process ends without using them", async () => {
    const taken = await takeAtOnce(2);
    await keys.close();
    expect((await reserved()).flat()).to.have.members(taken);
  });

  it("are refused while the database fails, and reserved again afterwards", async () => {
    await blocker.lock("LOCK TABLE stored_objects IN SHARE MODE");
    const failing = keys.take().catch((error: unknown) => String(error));
    await blocker.untilWaiting(1, "the key is being reserved");
    const next = keys.take();
    await db.rows(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(await failing).to.match(/cancel/);
    await blocker.release();
    const key = await next;
    expect((await reserved()).flat()).to.include(key);
  });
});
