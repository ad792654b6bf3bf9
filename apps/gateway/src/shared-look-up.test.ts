import { errors } from "@carillon/contract";
import { RequestDeadline, type Sql } from "@carillon/db";
import { useDatabase, useBlocker } from "@carillon/testkit";
import { expect } from "chai";

import { SharedLookUp } from "./shared-look-up.ts";

describe("look-ups of several requests", () => {
  const db = useDatabase();
  const blocker = useBlocker(db);
  /** The keys of each statement. */
  let looked: number[][];
  beforeEach(() => {
    looked = [];
  });

  /** Finds even numbers; below zero it fails, and from a hundred on it waits for the blocker. */
  const look = async (sql: Sql, keys: readonly number[]) => {
    looked.push([...keys]);
    if (keys.some((key) => key >= 100)) await sql.rows("SELECT pg_advisory_xact_lock(1)");
    if (keys.some((key) => key < 0)) await sql.rows("SELECT 1 / 0");
    return keys.map((key) => (key % 2 === 0 ? `number ${key}` : undefined));
  };
  const start = () => new SharedLookUp(db, look);
  const outcome = (one: Promise<string | undefined>) => one.catch((error: Error) => error.message);

  it("share one statement in one turn of the event loop, and get their own results", async () => {
    const keys = start();
    const found = await Promise.all([2, 3, 2, 4].map((key) => keys.find(key)));
    expect(found).to.deep.equal(["number 2", undefined, "number 2", "number 4"]);
    expect(looked).to.deep.equal([[2, 3, 2, 4]]);
  });

  it("do not wait for earlier look-ups", async () => {
    await blocker.lock("SELECT pg_advisory_xact_lock(1)");
    const keys = start();
    const first = keys.find(100);
    await blocker.untilWaiting(1, "the first one is under way");
    expect(await keys.find(2)).to.equal("number 2");
    await blocker.release();
    expect(await first).to.equal("number 100");
  });

  it("are batched by up to a hundred", async () => {
    const keys = start();
    const many = Array.from({ length: 250 }, (_, i) => i % 50);
    await Promise.all(many.map((key) => keys.find(key)));
    expect(looked.map(({ length }) => length)).to.deep.equal([100, 100, 50]);
  });

  it("are batched by a limit that is given", async () => {
    const keys = new SharedLookUp(db, look, 2);
    const found = await Promise.all([2, 3, 4].map((key) => keys.find(key)));
    expect(found).to.deep.equal(["number 2", undefined, "number 4"]);
    expect(looked).to.deep.equal([[2, 3], [4]]);
  });

  it("fail together", async () => {
    const keys = start();
    const failed = await Promise.all([keys.find(2), keys.find(-1)].map(outcome));
    for (const message of failed) expect(message).to.contain("division by zero");
    expect(await keys.find(2)).to.equal("number 2");
  });

  it("continue for the other requests when one has ended, and end with the last", async () => {
    await blocker.lock("SELECT pg_advisory_xact_lock(1)");
    const keys = start();
    const deadlines = [new RequestDeadline(), new RequestDeadline(), new RequestDeadline()];
    const all = deadlines.map((deadline) => outcome(keys.within(deadline).find(100)));
    const [first, ...others] = deadlines;
    first?.end(errors.unavailable(), true);
    await blocker.untilWaiting(1, "it is under way");
    expect(await all[0]).to.equal(errors.unavailable().message);
    for (const [i, deadline] of others.entries()) {
      expect(await blocker.waiting()).to.equal(1);
      deadline.end(errors.unavailable(), true);
      expect(await all[i + 1]).to.equal(errors.unavailable().message);
    }
    await blocker.untilWaiting(0, "the statement is cancelled");
  });

  it("handle requests that have ended before or end meanwhile", async () => {
    await blocker.lock("SELECT pg_advisory_xact_lock(1)");
    const keys = start();
    const gone = new RequestDeadline();
    const left = outcome(keys.within(gone).find(100));
    const stays = keys.find(102);
    gone.end(errors.unavailable(), false);
    await blocker.untilWaiting(1, "it is under way");
    gone.end(errors.unavailable(), true);
    // A statement that is cancelled has been so before another one is answered.
    expect(await keys.find(2)).to.equal("number 2");
    expect(await blocker.waiting()).to.equal(1);
    await blocker.release();
    expect(await left).to.equal(errors.unavailable().message);
    expect(await stays).to.equal("number 102");
  });
});
