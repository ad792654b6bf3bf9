import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

import { startTask } from "@carillon/scheduling";
import { silentLogger, systemClock, type Clock, type RateRule } from "@carillon/kit";
import { captureLog, forEachBackend, useDatabase, useQueues, waitFor } from "@carillon/testkit";
import { expect } from "chai";

import clearRateHitsTask from "../recurring/clear-rate-hits.ts";
import type { HitStore, StoredWindow } from "./hit-store.ts";
import { postgresHits } from "./postgres-hits.ts";
import { redisHits } from "./redis-hits.ts";
import { SharedLimits } from "./shared-limits.ts";

/** A clock that the tests set; the database's own only decides when rows are cleared away. */
class SetClock {
  #now = Date.now();
  now = () => this.#now;
  pass(seconds: number) {
    this.#now += seconds * 1_000;
  }
}

const close = async (limits: readonly SharedLimits[]) =>
  void (await Promise.all(limits.map((one) => one.close())));

forEachBackend("Limits that several processes hold together", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const clock = new SetClock();
  const open: SharedLimits[] = [];
  let asked = 0;
  let bucket = 0;
  afterEach(() => close(open.splice(0)));

  /** One more process, whose questions to the store are counted. */
  const join = async (own: Clock = clock): Promise<SharedLimits> => {
    const { redisUrl } = queues.config;
    const store =
      backend === "redis" && redisUrl ? redisHits(redisUrl, silentLogger) : postgresHits(db);
    const counted: HitStore = {
      ...store,
      // As if the store's clock were the one that the tests set.
      now: async () => clock.now(),
      add: (windows) => (asked++, store.add(windows)),
      take: (windows, wanted) => (asked++, store.take(windows, wanted)),
    };
    const limits = new SharedLimits({
      store: counted,
      log: silentLogger,
      clock: own,
      answerTimeoutMs: 20_000,
      // Only when the test says so.
      reportEveryMs: 3_600_000,
    });
    open.push(limits);
    // As long as the connection to Redis is under way, asking fails.
    await waitFor(
      () =>
        store.take([], 0).then(
          () => true,
          () => false,
        ),
      { what: "the store answers" },
    );
    return limits;
  };
  const fresh = () => `test:${++bucket}`;
  const admittedOf = async (
    limits: readonly SharedLimits[],
    name: string,
    rules: RateRule[],
    n: number,
  ) => {
    const answers = await Promise.all(
      Array.from({ length: n }, async (_, i) => limits[i % limits.length]?.take(name, rules)),
    );
    return answers.filter((answer) => answer?.admitted).length;
  };

  it("admit exactly as many concurrent requests as the rule allows", async () => {
    const limits = [await join(), await join(), await join()];
    const name = fresh();
    const rules = [{ seconds: 60, requests: 10 }];
    expect(await admittedOf(limits, name, rules, 60)).to.equal(10);
    expect(await admittedOf(limits, name, rules, 6)).to.equal(0);
    expect(await admittedOf(limits, fresh(), rules, 6)).to.equal(6);
  });

  it("apply every rule of a list, and count no refused request", async () => {
    const limits = [await join(), await join()];
    const [first, second] = limits;
    const name = fresh();
    const rules = [
      { seconds: 60, requests: 3 },
      { seconds: 3_600, requests: 5 },
    ];
    expect(await admittedOf(limits, name, rules, 4)).to.equal(3);
    const refused = await first?.take(name, rules);
    expect(refused).to.deep.include({ admitted: false, limit: 3, remaining: 0 });
    expect(refused?.blockedMs).to.be.within(58_000, 62_000);
    clock.pass(30);
    expect(await admittedOf(limits, name, rules, 20)).to.equal(0);
    clock.pass(32);
    expect(await admittedOf(limits, name, rules, 20)).to.equal(2);
    const last = await second?.take(name, rules);
    expect(last).to.deep.include({ admitted: false, limit: 5, remaining: 0 });
    expect(last?.blockedMs).to.be.greaterThan(3_400_000);
  });

  it("admit requests far from a limit without a query, and report them later", async () => {
    const limits = [await join(), await join()];
    const [first, second] = limits;
    const name = fresh();
    const rules = [{ seconds: 60, requests: 200 }];
    asked = 0;
    for (let i = 0; i < 10; i++) {
      const answer = first?.take(name, rules);
      expect(answer).not.to.be.instanceOf(Promise);
      expect(answer).to.deep.include({ admitted: true, remaining: 199 - i });
    }
    expect(asked).to.equal(0);
    await first?.report();
    expect(asked).to.equal(1);
    await second?.take(name, rules);
    await second?.report();
    expect(await second?.take(name, rules)).to.deep.include({ remaining: 188 });
    // Near the limit only the store admits; the other process had not reported a twentieth.
    expect(await admittedOf(limits, name, rules, 400)).to.be.within(188, 198);
    await Promise.all(limits.map((one) => one.report()));
    expect(await admittedOf(limits, name, rules, 10)).to.equal(0);
  });

  it("use the store's clock instead of their own", async () => {
    const skewed = (seconds: number): Clock => ({ now: () => clock.now() + seconds * 1_000 });
    const limits = [await join(), await join(skewed(300)), await join(skewed(-300))];
    const name = fresh();
    const rules = [{ seconds: 60, requests: 9 }];
    expect(await admittedOf(limits, name, rules, 30)).to.equal(9);
    clock.pass(62);
    expect(await admittedOf(limits, name, rules, 30)).to.equal(9);
  });

  it("read the store's clock", async () => {
    const { redisUrl } = queues.config;
    const store =
      backend === "redis" && redisUrl ? redisHits(redisUrl, silentLogger) : postgresHits(db);
    const reported = await waitFor(() => store.now().catch(() => undefined), { what: "a time" });
    await store.close();
    // Both are on this machine.
    expect(Math.abs(reported - systemClock.now())).to.be.lessThan(300_000);
  });

  it("admit requests after another process has reset the limit", async () => {
    const [first, second] = [await join(), await join()];
    const name = fresh();
    const rules = [{ seconds: 1_800, requests: 5 }];
    expect(await admittedOf([first], name, rules, 6)).to.equal(5);
    await second.forget(name, rules);
    clock.pass(2);
    expect(await admittedOf([first], name, rules, 6)).to.equal(5);
    // While it is full, and asked without end, the store is asked once a second.
    clock.pass(2);
    asked = 0;
    for (let i = 0; i < 20; i++) await first.take(name, rules);
    expect(asked).to.equal(1);
  });

  it("reset in all processes", async () => {
    const limits = [await join(), await join()];
    const [first, second] = limits;
    const name = fresh();
    const rules = [{ seconds: 1_800, requests: 5 }];
    expect(await admittedOf(limits, name, rules, 4)).to.equal(4);
    await first?.forget(name, rules);
    expect(await second?.take(name, rules)).to.deep.include({ admitted: true, remaining: 4 });
  });
});

describe("rate-limit counts in the database", () => {
  const db = useDatabase({ max: 10 });

  it("are updated concurrently without deadlocks", async () => {
    const store = postgresHits(db);
    // What was admitted a slice ago, by the rule of a minute; by that of an hour it is the slice of now.
    const windows = (slice: number, current: number): StoredWindow[] =>
      [60, 3_600].map((seconds, i) => ({
        key: `test/${i}/${seconds}`,
        floor: 0,
        current: i === 0 ? current : 1,
        limit: 1_000_000,
        lifetimeMs: 60_000,
        hits: [[i === 0 ? slice : 1, 1]],
      }));
    for (let n = 1; n <= 60; n++)
      await Promise.all([
        store.take(windows(n - 1, n), 2),
        store.add(windows(n, n)),
        store.take(windows(n - 1, n), 2),
        store.add(windows(n, n)),
      ]);
    const [, hour] = (await store.take(windows(60, 60), 0)).hits;
    expect(hour).to.deep.equal([[1, 60 * 8 + 1]]);
    await store.close();
  });

  it("are cleared, any number of them", async () => {
    await db.rows(
      `INSERT INTO rate_hits (bucket, slice, hits, expires_at)
       SELECT 'ip:' || n, 1, 1, now() + make_interval(secs => CASE WHEN n > 3 THEN -1 ELSE 3600 END)
       FROM generate_series(1, 25000) n`,
    );
    const clearing = startTask(clearRateHitsTask, { db, log: silentLogger });
    await clearing.run();
    await clearing.stop();
    expect(await db.rows("SELECT FROM rate_hits WHERE bucket LIKE 'ip:%'")).to.have.length(3);
  });
});

describe("Limits whose store fails", () => {
  const rules = [{ seconds: 60, requests: 4 }];

  it("count in each process alone, with one log line", async () => {
    const { log, lines } = captureLog("error");
    // Nobody listens on port 1.
    const limits = new SharedLimits({ store: redisHits("redis://127.0.0.1:1", silentLogger), log });
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push((await limits.take("test", rules)).admitted);
    expect(answers).to.deep.equal([true, true, true, true, false, false]);
    expect(limits.failures).to.be.greaterThan(0);
    await limits.report();
    expect(lines.map(({ msg }) => msg)).to.deep.equal([
      "rate-limit store does not answer; each process counts for itself",
    ]);
    await limits.close();
  });

  it("wait briefly for a hanging store, and then pause queries", async () => {
    const silent = createServer();
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const store = redisHits(`redis://127.0.0.1:${port}`, silentLogger);
    const limits = new SharedLimits({ store, log: silentLogger, answerTimeoutMs: 20 });
    for (let i = 0; i < 4; i++)
      expect(await limits.take("test", rules)).to.deep.include({ admitted: true });
    // All after the first were not asked.
    expect(limits.failures).to.equal(1);
    expect(await limits.take("test", rules)).to.deep.include({ admitted: false });
    await limits.close();
    silent.close();
  });
});
