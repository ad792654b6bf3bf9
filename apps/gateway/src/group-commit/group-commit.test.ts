import { errors } from "@carillon/contract";
import { connectDatabase, isPassing, Lifetime, type Written } from "@carillon/db";
import {
  captureLog,
  startFaultProxy,
  testSite,
  useDatabase,
  useObstacle,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import type { Batch, GroupBounds } from "./batch.ts";
import { GroupCommit } from "./group-commit.ts";

/** What a test wants written, and how that goes. */
interface Wanted {
  readonly name: string;
  /** The advisory lock that its transaction waits for. */
  readonly gate?: number;
  /** The same, with the COMMIT behind it. */
  readonly gateAtCommit?: number;
  readonly refused?: boolean;
  /** Makes the whole statement fail. */
  readonly poisoned?: boolean;
  readonly weight?: number;
  /** Nothing else has room with it. */
  readonly large?: boolean;
  /** It waits apart for that. */
  readonly awaits?: number;
}

const realmId = 1;
const hungUp = () => errors.badRequest("The client has hung up");

describe("requests that are written together", () => {
  const db = useDatabase();
  const first = useObstacle(db);
  const second = useObstacle(db);
  let log = captureLog();
  /** The names of each transaction that was tried. */
  let tried: string[][];

  before(() => db.rows("CREATE TABLE written (place serial, name text, transaction xid8)"));
  beforeEach(async () => {
    await db.rows("TRUNCATE written RESTART IDENTITY");
    tried = [];
    log = captureLog();
  });

  const batch: Batch<Wanted, string> = {
    weigh: ({ weight = 1 }) => weight,
    async write(tx, _site, requests, company) {
      tried.push(requests.map(({ name }) => name));
      const [alone] = requests;
      for (const { gate, awaits } of requests)
        if (gate !== undefined && (awaits === undefined || company.mayWait))
          await tx.rows("SELECT pg_advisory_xact_lock($1)", [gate]);
      for (const { gateAtCommit } of requests)
        if (gateAtCommit !== undefined)
          tx.sendWithCommit("SELECT pg_advisory_xact_lock($1)", [gateAtCommit]);
      let full = false;
      const outcomes = requests.map((request): Written<string> => {
        if (full) return { kind: "later" };
        const { name, awaits } = request;
        if (awaits !== undefined && !company.mayWait) return { kind: "apart", awaits };
        if (request.refused) return { kind: "refused", error: errors.badRequest(`Not ${name}`) };
        if (request.large && request !== alone) {
          full = true;
          return { kind: "later" };
        }
        full = request.large === true;
        return { kind: "done", result: `did ${name}` };
      });
      const done = requests.filter((_, i) => outcomes[i]?.kind === "done");
      await tx.rows(
        `INSERT INTO written (name, transaction)
         SELECT name, pg_current_xact_id() FROM unnest($1::text[]) WITH ORDINALITY AS w (name, place) ORDER BY place`,
        [done.map(({ name }) => name)],
      );
      if (requests.some(({ poisoned }) => poisoned)) await tx.rows("SELECT 1 / 0");
      return outcomes;
    },
  };

  const start = (bounds: Partial<GroupBounds> = {}, database = db) => {
    const group = new GroupCommit({ db: database, site: testSite(), log: log.log, bounds });
    const write = (accountId: number, wanted: Wanted | string, lifetime = new Lifetime()) =>
      group.write(
        batch,
        { id: accountId, realmId },
        typeof wanted === "string" ? { name: wanted } : wanted,
        lifetime,
      );
    /** Keeps the line waiting behind one request until the result is called. */
    const behind = async () => {
      await first.lock("SELECT pg_advisory_xact_lock(1)");
      const leading = write(0, { name: "leading", gate: 1 });
      await first.untilWaiting(1, "the first one is being written");
      return async () => {
        await first.release();
        await leading;
      };
    };
    return { group, write, behind };
  };
  const names = async () =>
    (await db.rows<{ name: string }>("SELECT name FROM written ORDER BY place")).map(
      ({ name }) => name,
    );
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);
  /** What each comes to: its result, or the message of its error. */
  const outcomes = (all: ReadonlyArray<Promise<string>>) =>
    Promise.all(all.map((one) => one.catch((error: Error) => error.message)));

  it("go at once where nobody else is, and nothing is left of them", async () => {
    const { group, write } = start();
    const going = write(1, "alone");
    expect(tried).to.deep.equal([]);
    expect(group.lanes).to.equal(1);
    expect(await going).to.equal("did alone");
    await waitFor(() => group.lanes === 0, { what: "the lane is gone" });
    expect(tried).to.deep.equal([["alone"]]);
  });

  it("go in one transaction where they came while another was written, each with an answer of its own", async () => {
    const { write, behind } = start();
    const proceed = await behind();
    const all = [write(1, "a"), write(2, { name: "b", refused: true }), write(1, "c")];
    await proceed();
    expect(await outcomes(all)).to.deep.equal(["did a", "Not b", "did c"]);
    expect(tried).to.deep.equal([["leading"], ["a", "b", "c"]]);
    expect(await names()).to.deep.equal(["leading", "a", "c"]);
    const transactions = await db.rows("SELECT DISTINCT transaction FROM written");
    expect(transactions).to.have.length(2);
  });

  it("are taken out where they hang up, or have no time left, while they wait", async () => {
    const { group, write, behind } = start();
    const proceed = await behind();
    const [leaving, late] = [new Lifetime(), new Lifetime()];
    const all = [write(1, "a"), write(1, "b", leaving), write(2, "c", late)];
    leaving.end(hungUp(), false);
    late.end(errors.unavailable(), true);
    expect(await outcomes(all.slice(1))).to.deep.equal([
      hungUp().message,
      errors.unavailable().message,
    ]);
    expect(group.waiting).to.equal(1);
    await proceed();
    expect(await all[0]).to.equal("did a");
    expect(tried).to.deep.equal([["leading"], ["a"]]);
  });

  describe("of whom one is gone while they are being written", () => {
    /** Two requests in one transaction that waits for a gate. */
    async function stuck(lifetime: Lifetime) {
      const { write, behind } = start();
      const proceed = await behind();
      await second.lock("SELECT pg_advisory_xact_lock(2)");
      const others = new Lifetime();
      const staying = write(1, { name: "staying", gate: 2 }, others);
      const going = write(2, "going", lifetime);
      await proceed();
      await waitFor(() => tried.length === 2, { what: "they are being written" });
      await second.untilWaiting(1, "they wait for the gate");
      return { staying, going, others };
    }

    it("go again without it, where it hung up", async () => {
      const lifetime = new Lifetime();
      const { staying, going } = await stuck(lifetime);
      lifetime.end(hungUp(), false);
      await second.release();
      expect(await outcomes([staying, going])).to.deep.equal(["did staying", hungUp().message]);
      expect(tried.slice(1)).to.deep.equal([["staying", "going"], ["staying"]]);
      expect(await names()).to.deep.equal(["leading", "staying"]);
      expect(lifetime.commits).to.equal(0);
    });

    it("go again without it, where it has no time left, and that is said once nothing of it goes on", async () => {
      const lifetime = new Lifetime();
      // Only what waits for the gate for ever meets this deadline on purpose.
      lifetime.limit(1_500, () => errors.unavailable());
      const { staying, going } = await stuck(lifetime);
      expect(await outcomes([going])).to.deep.equal([errors.unavailable().message]);
      await lifetime.settled();
      await waitFor(() => tried.length === 3, { what: "the other one goes again" });
      await second.release();
      expect(await staying).to.equal("did staying");
      expect(await names()).to.deep.equal(["leading", "staying"]);
    });

    it("are given up where nobody is left", async () => {
      const lifetime = new Lifetime();
      const { staying, going, others } = await stuck(lifetime);
      lifetime.end(hungUp(), false);
      others.end(hungUp(), false);
      await second.untilWaiting(0, "the transaction is cancelled");
      expect(await outcomes([staying, going])).to.deep.equal([hungUp().message, hungUp().message]);
      await second.release();
      expect(await names()).to.deep.equal(["leading"]);
    });

    it("have all been done where it hung up behind the COMMIT", async () => {
      const { write, behind } = start();
      const proceed = await behind();
      await second.lock("SELECT pg_advisory_xact_lock(2)");
      const lifetime = new Lifetime();
      const staying = write(1, { name: "staying", gateAtCommit: 2 });
      const going = write(2, "going", lifetime);
      await proceed();
      await second.untilWaiting(1, "their COMMIT waits");
      lifetime.end(hungUp(), false);
      await second.release();
      expect(await outcomes([staying, going])).to.deep.equal(["did staying", "did going"]);
      expect(lifetime.commits).to.equal(1);
    });
  });

  it("go one by one, each once, where one in a hundred spoils them", async () => {
    const { write, behind } = start();
    const proceed = await behind();
    const all = numbered(100).map((name, i) => write(i % 7, { name, poisoned: name === "42" }));
    await proceed();
    const came = await outcomes(all);
    expect(came.filter((each) => each.startsWith("did"))).to.have.length(99);
    expect(came[42]).to.contain("division by zero");
    const written = await names();
    expect(written).to.have.length(100).and.not.include("42");
    expect(tried[1]).to.have.length(100);
    expect(written.slice(1)).to.deep.equal(tried[1]?.filter((name) => name !== "42"));
    expect(log.lines.map(({ msg }) => msg)).to.deep.equal([
      "requests that were written together failed; they go one by one",
    ]);
  });

  it("fail together, once, where the database fails them", async () => {
    const { write, behind } = start();
    const proceed = await behind();
    await second.lock("SELECT pg_advisory_xact_lock(2)");
    const all = [write(1, { name: "a", gate: 2 }), write(2, "b")];
    await proceed();
    await waitFor(() => tried.length === 2, { what: "they are being written" });
    await second.untilWaiting(1, "they wait for the gate");
    const failures = Promise.all(all.map((one) => one.catch((error: unknown) => error)));
    await db.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event = 'advisory'`,
    );
    for (const failure of await failures) expect(isPassing(failure)).to.equal(true);
    await second.release();
    expect(await write(1, "c")).to.equal("did c");
    expect(tried).to.deep.equal([["leading"], ["a", "b"], ["c"]]);
    expect(await names()).to.deep.equal(["leading", "c"]);
  });

  it("are all told that nobody knows, where the network swallows their COMMIT", async () => {
    const proxy = await startFaultProxy(db.url);
    const proxied = await connectDatabase(proxy.url, { max: 3, name: "proxied" });
    const { write, behind } = start({}, proxied);
    const proceed = await behind();
    await second.lock("SELECT pg_advisory_xact_lock(2)");
    const lifetime = new Lifetime();
    lifetime.limit(3_000, () => errors.unavailable());
    const patient = new Lifetime();
    const all = [write(1, { name: "a", gateAtCommit: 2 }, lifetime), write(2, "b", patient)];
    await proceed();
    await second.untilWaiting(1, "their COMMIT waits");
    proxy.freeze();
    for (const message of await outcomes(all)) expect(message).to.contain("in time");
    expect((await outcomes(all))[1]).to.contain("cannot tell");
    expect([lifetime.uncertain, patient.uncertain]).to.deep.equal([true, true]);
    await proxy.heal();
    await second.release();
    await proxied.close();
    await proxy.close();
  });

  it("take turns by account, each account's in order", async () => {
    const { write, behind } = start({ requests: 4 });
    const proceed = await behind();
    const many = numbered(6).map((name) => write(1, `a${name}`));
    const others = [write(2, "b0"), write(3, "c0"), write(2, "b1")];
    await proceed();
    await Promise.all([...many, ...others]);
    expect(tried.slice(1)).to.deep.equal([
      ["a0", "b0", "c0", "a1"],
      ["b1", "a2", "a3", "a4"],
      ["a5"],
    ]);
  });

  it("go with the next ones, however many of another account came before, and stay where that is turned away", async () => {
    const { group, write, behind } = start();
    const proceed = await behind();
    const many = numbered(1_000).map((name) => write(1, `a${name}`));
    const few = [2, 3, 4].map((account) => write(account, `of ${account}`));
    const over = write(1, "over");
    expect(await outcomes([...many.slice(-3), over])).to.deep.equal(
      Array.from({ length: 4 }, () => errors.tooBusy(1).message),
    );
    expect(group.waiting).to.equal(1_000);
    await proceed();
    await Promise.all([...few, ...many.slice(0, -3)]);
    expect(tried[1]?.slice(0, 5)).to.deep.equal(["a0", "of 2", "of 3", "of 4", "a1"]);
    expect(tried.slice(1).map(({ length }) => length)).to.deep.equal(Array(10).fill(100));
    expect(await names()).to.have.length(1_001);
  });

  it("are as many as have room, and the others come next in the same order", async () => {
    const { write, behind } = start({ weight: 10 });
    const proceed = await behind();
    const all = [
      write(1, { name: "a", weight: 6 }),
      write(2, { name: "b", weight: 6 }),
      write(1, { name: "c", weight: 40 }),
      write(2, "d"),
      write(1, { name: "e", large: true }),
      write(2, "f"),
      write(1, "g"),
    ];
    await proceed();
    await Promise.all(all);
    expect(tried.slice(1)).to.deep.equal([
      ["a"],
      ["b"],
      ["c"],
      ["d", "e", "f", "g"],
      ["e"],
      ["f", "g"],
    ]);
    expect(await names()).to.deep.equal(["leading", "a", "b", "c", "d", "e", "f", "g"]);
  });

  it("wait apart, one by one, for what others hold, and keep nobody else", async () => {
    const { group, write } = start();
    await first.lock("SELECT pg_advisory_xact_lock(1)");
    const apart = ["x", "y", "z"].map((name) => write(1, { name, gate: 1, awaits: 7 }));
    await waitFor(() => group.waiting === 2, { what: "two wait behind the first one" });
    await first.untilWaiting(1, "it waits");
    expect(await write(2, "b")).to.equal("did b");
    expect(await names()).to.deep.equal(["b"]);
    await first.release();
    await Promise.all(apart);
    expect(await names()).to.deep.equal(["b", "x", "y", "z"]);
    await waitFor(() => group.lanes === 0, { what: "the lanes are gone" });
  });

  it("are turned away where too many wait: the last of whoever has most", async () => {
    const { write, behind } = start({ waiting: 3 });
    const proceed = await behind();
    const many = ["a0", "a1", "a2", "a3"].map((name) => write(1, name));
    const other = write(2, "b");
    const turnedAway = await Promise.all(
      many.slice(2).map((one) => one.catch((error: unknown) => error)),
    );
    for (const error of turnedAway)
      expect(error).to.deep.include({ status: 503, headers: { "Retry-After": "1" } });
    await proceed();
    await Promise.all([many[0], many[1], other]);
    expect(await names()).to.deep.equal(["leading", "a0", "b", "a1"]);
  });

  it("are turned away where what waits has too much text", async () => {
    const { write, behind } = start({ waitingWeight: 100 });
    const proceed = await behind();
    const all = [
      write(1, { name: "a", weight: 60 }),
      write(2, { name: "b", weight: 30 }),
      write(2, { name: "c", weight: 20 }),
    ];
    await proceed();
    expect(await outcomes(all)).to.deep.equal([errors.tooBusy(1).message, "did b", "did c"]);
  });
});
