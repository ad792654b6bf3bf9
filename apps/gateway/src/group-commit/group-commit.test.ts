import { errors } from "@carillon/contract";
import { connectDatabase, isTransient, RequestDeadline } from "@carillon/db";
import type { BatchOutcome } from "@carillon/domain";
import {
  captureLog,
  startFaultProxy,
  testSite,
  useDatabase,
  useBlocker,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { type BatchHandler, type GroupBounds, LeavingBatch } from "./batch-handler.ts";
import { GroupCommit } from "./group-commit.ts";

/** A request of a test, and what happens to it. */
interface Wanted {
  readonly name: string;
  /** The advisory lock that its transaction waits for. */
  readonly gate?: number;
  /** The advisory lock that its transaction waits for just before the COMMIT. */
  readonly gateAtCommit?: number;
  readonly rejected?: boolean;
  /** Makes the whole statement fail. */
  readonly poisoned?: boolean;
  readonly weight?: number;
  /** Fills the batch by itself. */
  readonly large?: boolean;
  /** The key by which it is serialized. */
  readonly serializeBy?: number;
  /** The outcome by which it leaves a transaction that it shares. */
  readonly leavesBy?: BatchOutcome<never>;
}

const realmId = 1;
const hungUp = () => errors.badRequest("The client has hung up");

describe("group commit", () => {
  const db = useDatabase();
  const first = useBlocker(db);
  const second = useBlocker(db);
  let log = captureLog();
  /** The names of each transaction that was tried. */
  let tried: string[][];

  before(() => db.rows("CREATE TABLE written (place serial, name text, transaction xid8)"));
  beforeEach(async () => {
    await db.rows("TRUNCATE written RESTART IDENTITY");
    tried = [];
    log = captureLog();
  });

  const handler: BatchHandler<Wanted, string> = {
    weigh: ({ weight = 1 }) => weight,
    async write(tx, _site, requests, context) {
      tried.push(requests.map(({ name }) => name));
      const [firstRequest] = requests;
      for (const { gate, serializeBy } of requests)
        if (gate !== undefined && (serializeBy === undefined || context.canBlock))
          await tx.rows("SELECT pg_advisory_xact_lock($1)", [gate]);
      for (const { gateAtCommit } of requests)
        if (gateAtCommit !== undefined)
          tx.sendWithCommit("SELECT pg_advisory_xact_lock($1)", [gateAtCommit]);
      const leaving = requests.map(({ leavesBy }) => (context.canBlock ? undefined : leavesBy));
      if (leaving.some(Boolean)) throw new LeavingBatch(leaving);
      let full = false;
      const outcomes = requests.map((request): BatchOutcome<string> => {
        const { name, serializeBy } = request;
        if (full) return { kind: "retryLater" };
        if (serializeBy !== undefined && !context.canBlock)
          return { kind: "serialize", key: serializeBy };
        if (request.rejected) return { kind: "rejected", error: errors.badRequest(`Not ${name}`) };
        if (request.large && request !== firstRequest) {
          full = true;
          return { kind: "retryLater" };
        }
        full = request.large === true;
        return { kind: "committed", result: `did ${name}` };
      });
      const committed = requests.filter((_, i) => outcomes[i]?.kind === "committed");
      await tx.rows(
        `INSERT INTO written (name, transaction)
         SELECT name, pg_current_xact_id() FROM unnest($1::text[]) WITH ORDINALITY AS w (name, place) ORDER BY place`,
        [committed.map(({ name }) => name)],
      );
      if (requests.some(({ poisoned }) => poisoned)) await tx.rows("SELECT 1 / 0");
      return outcomes;
    },
  };

  const start = (bounds: Partial<GroupBounds> = {}, database = db) => {
    const group = new GroupCommit({ db: database, site: testSite(), log: log.log, bounds });
    const write = (accountId: number, wanted: Wanted | string, deadline = new RequestDeadline()) =>
      group.write(
        handler,
        { id: accountId, realmId },
        typeof wanted === "string" ? { name: wanted } : wanted,
        deadline,
      );
    /** Keeps the queue waiting behind one request until the returned function is called. */
    const behind = async () => {
      await first.lock("SELECT pg_advisory_xact_lock(1)");
      const leading = write(0, { name: "leading", gate: 1 });
      await first.untilWaiting(1, "the first request runs");
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
  /** The result of each, or the message of its error. */
  const outcomes = (all: ReadonlyArray<Promise<string>>) =>
    Promise.all(all.map((one) => one.catch((error: Error) => error.message)));

  it("starts a request at once when none is running, and removes the empty queue", async () => {
    const { group, write } = start();
    const writing = write(1, "single");
    expect(tried).to.deep.equal([]);
    expect(group.queues).to.equal(1);
    expect(await writing).to.equal("did single");
    await waitFor(() => group.queues === 0, { what: "the queue is removed" });
    expect(tried).to.deep.equal([["single"]]);
  });

  it("writes requests that arrived meanwhile in one transaction, and answers each by its own outcome", async () => {
    const { write, behind } = start();
    const proceed = await behind();
    const all = [write(1, "a"), write(2, { name: "b", rejected: true }), write(1, "c")];
    await proceed();
    expect(await outcomes(all)).to.deep.equal(["did a", "Not b", "did c"]);
    expect(tried).to.deep.equal([["leading"], ["a", "b", "c"]]);
    expect(await names()).to.deep.equal(["leading", "a", "c"]);
    const transactions = await db.rows("SELECT DISTINCT transaction FROM written");
    expect(transactions).to.have.length(2);
  });

  it("removes a waiting request whose client hangs up or whose deadline passes", async () => {
    const { group, write, behind } = start();
    const proceed = await behind();
    const [leaving, late] = [new RequestDeadline(), new RequestDeadline()];
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

  describe("when a client hangs up while its batch runs", () => {
    /** Two requests in one transaction that waits for an advisory lock. */
    async function stuck(deadline: RequestDeadline) {
      const { write, behind } = start();
      const proceed = await behind();
      await second.lock("SELECT pg_advisory_xact_lock(2)");
      const others = new RequestDeadline();
      const staying = write(1, { name: "staying", gate: 2 }, others);
      const leaving = write(2, "leaving", deadline);
      await proceed();
      await waitFor(() => tried.length === 2, { what: "the batch runs" });
      await second.untilWaiting(1, "the batch waits for the lock");
      return { staying, leaving, others };
    }

    it("rolls back and runs the others again", async () => {
      const deadline = new RequestDeadline();
      const { staying, leaving } = await stuck(deadline);
      deadline.end(hungUp(), false);
      await second.release();
      expect(await outcomes([staying, leaving])).to.deep.equal(["did staying", hungUp().message]);
      expect(tried.slice(1)).to.deep.equal([["staying", "leaving"], ["staying"]]);
      expect(await names()).to.deep.equal(["leading", "staying"]);
      expect(deadline.commits).to.equal(0);
    });

    it("rolls back at a deadline, answers 503 after the rollback and runs the others again", async () => {
      const deadline = new RequestDeadline();
      // Only a transaction that waits for the lock meets this deadline.
      deadline.limit(1_500, () => errors.unavailable());
      const { staying, leaving } = await stuck(deadline);
      expect(await outcomes([leaving])).to.deep.equal([errors.unavailable().message]);
      await deadline.settled();
      await waitFor(() => tried.length === 3, { what: "the other request runs again" });
      await second.release();
      expect(await staying).to.equal("did staying");
      expect(await names()).to.deep.equal(["leading", "staying"]);
    });

    it("cancels the transaction when every client has hung up", async () => {
      const deadline = new RequestDeadline();
      const { staying, leaving, others } = await stuck(deadline);
      deadline.end(hungUp(), false);
      others.end(hungUp(), false);
      await second.untilWaiting(0, "the transaction is cancelled");
      expect(await outcomes([staying, leaving])).to.deep.equal([
        hungUp().message,
        hungUp().message,
      ]);
      await second.release();
      expect(await names()).to.deep.equal(["leading"]);
    });

    it("commits for all when the client hangs up after the COMMIT was sent", async () => {
      const { write, behind } = start();
      const proceed = await behind();
      await second.lock("SELECT pg_advisory_xact_lock(2)");
      const deadline = new RequestDeadline();
      const staying = write(1, { name: "staying", gateAtCommit: 2 });
      const leaving = write(2, "leaving", deadline);
      await proceed();
      await second.untilWaiting(1, "the COMMIT waits");
      deadline.end(hungUp(), false);
      await second.release();
      expect(await outcomes([staying, leaving])).to.deep.equal(["did staying", "did leaving"]);
      expect(deadline.commits).to.equal(1);
    });
  });

  it("retries one by one, each once, when one request of a hundred makes the batch fail", async () => {
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
      "batch of requests failed; retrying them one by one",
    ]);
  });

  it("rejects all members once when the connection is lost", async () => {
    const { write, behind } = start();
    const proceed = await behind();
    await second.lock("SELECT pg_advisory_xact_lock(2)");
    const all = [write(1, { name: "a", gate: 2 }), write(2, "b")];
    await proceed();
    await waitFor(() => tried.length === 2, { what: "the batch runs" });
    await second.untilWaiting(1, "the batch waits for the lock");
    const failures = Promise.all(all.map((one) => one.catch((error: unknown) => error)));
    await db.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event = 'advisory'`,
    );
    for (const failure of await failures) expect(isTransient(failure)).to.equal(true);
    await second.release();
    expect(await write(1, "c")).to.equal("did c");
    expect(tried).to.deep.equal([["leading"], ["a", "b"], ["c"]]);
    expect(await names()).to.deep.equal(["leading", "c"]);
  });

  it("answers all members that the outcome is unknown when the answer to the COMMIT is lost", async () => {
    const proxy = await startFaultProxy(db.url);
    const proxied = await connectDatabase(proxy.url, { max: 3, name: "proxied" });
    const { write, behind } = start({}, proxied);
    const proceed = await behind();
    await second.lock("SELECT pg_advisory_xact_lock(2)");
    const deadline = new RequestDeadline();
    deadline.limit(3_000, () => errors.unavailable());
    const patient = new RequestDeadline();
    const all = [write(1, { name: "a", gateAtCommit: 2 }, deadline), write(2, "b", patient)];
    await proceed();
    await second.untilWaiting(1, "the COMMIT waits");
    proxy.freeze();
    for (const message of await outcomes(all)) expect(message).to.contain("in time");
    expect((await outcomes(all))[1]).to.contain("cannot tell");
    expect([deadline.uncertain, patient.uncertain]).to.deep.equal([true, true]);
    await proxy.heal();
    await second.release();
    await proxied.close();
    await proxy.close();
  });

  it("serves accounts round-robin, and the requests of one account in their order", async () => {
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

  it("sheds the requests of an account that fills the queue, and writes others' in the next batch", async () => {
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

  it("limits a batch by weight and by retryLater, and writes the rest next in the same order", async () => {
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

  it("runs serialized requests one by one and does not block the others", async () => {
    const { group, write } = start();
    await first.lock("SELECT pg_advisory_xact_lock(1)");
    const serialized = ["x", "y", "z"].map((name) => write(1, { name, gate: 1, serializeBy: 7 }));
    await waitFor(() => group.waiting === 2, { what: "two wait behind the first one" });
    await first.untilWaiting(1, "it waits");
    expect(await write(2, "b")).to.equal("did b");
    expect(await names()).to.deep.equal(["b"]);
    await first.release();
    await Promise.all(serialized);
    expect(await names()).to.deep.equal(["b", "x", "y", "z"]);
    await waitFor(() => group.queues === 0, { what: "the queues are removed" });
  });

  it("keeps running serialized requests one by one after one is rejected", async () => {
    const { group, write } = start();
    await first.lock("SELECT pg_advisory_xact_lock(1)");
    const serialized = ["w", "x", "y", "z"].map((name) =>
      write(1, { name, gate: 1, serializeBy: 7, rejected: name === "x" }),
    );
    await waitFor(() => group.waiting === 3, { what: "three wait behind the first one" });
    await first.release();
    expect(await outcomes(serialized)).to.deep.equal(["did w", "Not x", "did y", "did z"]);
    expect(tried.slice(-3)).to.deep.equal([["x"], ["y"], ["z"]]);
  });

  it("answers requests that leave a batch, and writes the others together in the next transaction", async () => {
    const { write, behind } = start();
    const proceed = await behind();
    const deadline = new RequestDeadline();
    const all = [
      write(1, "a"),
      write(1, { name: "b", leavesBy: { kind: "rejected", error: errors.badRequest("Not b") } }),
      write(1, { name: "c", leavesBy: { kind: "serialize", key: 7 } }),
      write(1, "d", deadline),
    ];
    await proceed();
    expect(await outcomes(all)).to.deep.equal(["did a", "Not b", "did c", "did d"]);
    expect(tried.slice(1)).to.have.deep.members([["a", "b", "c", "d"], ["a", "d"], ["c"]]);
    expect(await names()).to.have.members(["leading", "a", "d", "c"]);
    expect(deadline.commits).to.equal(1);
  });

  it("answers a single request that leaves its transaction", async () => {
    const { write } = start();
    const all = [
      write(1, { name: "a", leavesBy: { kind: "rejected", error: errors.badRequest("Not a") } }),
      write(2, { name: "b", leavesBy: { kind: "serialize", key: 7 } }),
    ];
    expect(await outcomes(all)).to.deep.equal(["Not a", "did b"]);
    expect(await names()).to.deep.equal(["b"]);
  });

  it("sheds the latest requests of the account with most when too many wait", async () => {
    const { write, behind } = start({ waiting: 3 });
    const proceed = await behind();
    const many = ["a0", "a1", "a2", "a3"].map((name) => write(1, name));
    const other = write(2, "b");
    const shed = await Promise.all(
      many.slice(2).map((one) => one.catch((error: unknown) => error)),
    );
    for (const error of shed)
      expect(error).to.have.deep.property("facts", { reason: "unavailable", retryAfter: 1 });
    await proceed();
    await Promise.all([many[0], many[1], other]);
    expect(await names()).to.deep.equal(["leading", "a0", "b", "a1"]);
  });

  it("sheds requests when the waiting text is too long", async () => {
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
