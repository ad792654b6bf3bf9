import { ApiError, errors } from "@carillon/contract";
import { nth, waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { ReturnQueue } from "./return-queue.ts";

// docs/decisions/083
describe("ReturnQueue", () => {
  let now: number;
  let queue: ReturnQueue;
  /** Functions that end returns, in the order in which these began. */
  let begun: Array<() => void>;
  let people: number[];

  beforeEach(() => {
    now = 1_000_000;
    queue = new ReturnQueue({ now: () => now });
    begun = [];
    people = [];
  });

  const comeBack = (id: number) =>
    queue.makeInOrder(id, () => {
      people.push(id);
      return new Promise<void>((resolve) => begun.push(resolve));
    });

  /** Returns the `Retry-After` of a person who is refused; undefined if the person is admitted. */
  async function retryAfter(id: number): Promise<number | undefined> {
    const outcome = await Promise.race([
      comeBack(id).catch((error: unknown) => error),
      new Promise((resolve) => setImmediate(resolve)),
    ]);
    if (outcome instanceof ApiError) return Number(outcome.facts?.retryAfter);
    expect(outcome).to.equal(undefined);
    return undefined;
  }

  async function endAll(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      await waitFor(async () => begun.length > n, { what: `return ${n} begins` });
      nth(begun, n)();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  it("makes the copies of two people at the same time, and of others in the order of their requests", async () => {
    const all = Promise.all([comeBack(1), comeBack(2), comeBack(3), comeBack(3), comeBack(4)]);
    await waitFor(async () => begun.length > 0, { what: "the first return begins" });
    expect(people).to.deep.equal([1, 2]);
    await endAll(4);
    await all;
    expect(people).to.deep.equal([1, 2, 3, 4]);
  });

  it("makes the copies of others after those of one person failed", async () => {
    const failing = queue.makeInOrder(1, () => Promise.reject(new Error("no")));
    let failure: unknown;
    await failing.catch((error: unknown) => (failure = error));
    expect(failure).to.have.property("message", "no");
    const all = Promise.all([comeBack(1), comeBack(2), comeBack(3)]);
    await endAll(3);
    await all;
  });

  it("refuses people who would wait for more than five seconds, with rising values of Retry-After", async () => {
    let admitted = 0;
    while ((await retryAfter(++admitted)) === undefined);
    // A return counts as 0.1 s until one was measured, so a person waits for 5 s behind 100 others.
    expect(admitted).to.equal(103);
    const times: number[] = [];
    for (let id = 200; id < 300; id++) times.push((await retryAfter(id)) ?? 0);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
    expect([times[0], times.at(-1)]).to.deep.equal([3, 8]);
    expect(queue.counts).to.deep.equal({ waiting: 102, withTickets: 101 });
    expect(await retryAfter(299), "too early").to.equal(8);
    await endAll(admitted - 1);
    expect(await retryAfter(299), "after the others").to.equal(undefined);
  });

  /** Ends returns in the order in which they began, two at the same time, each pair after `ms` milliseconds. */
  async function endPairs(count: number, from = 0, ms = 100): Promise<void> {
    for (let n = from; n < from + count; n += 2) {
      await waitFor(async () => begun.length > n + 1, { what: `return ${n + 1} begins` });
      now += ms;
      nth(begun, n)();
      nth(begun, n + 1)();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it("lets a person whose copies are too many for one request continue before others", async () => {
    let refuse: (error: Error) => void = () => {};
    const making = new Promise<void>((_resolve, reject) => (refuse = reject));
    const refusal = queue.makeInOrder(900, () => making).catch((error: unknown) => error);
    for (let id = 1; id <= 101; id++) expect(await retryAfter(id)).to.equal(undefined);
    for (let id = 1_000; id <= 1_100; id++) await retryAfter(id);
    refuse(errors.comingBack());
    expect(await refusal).to.be.instanceOf(ApiError);
    await endPairs(60);
    expect(await retryAfter(1_100), "refused before").to.be.greaterThan(1);
    expect(await retryAfter(900)).to.equal(undefined);
  });

  describe("after 101 people were refused", () => {
    const [first, last, later] = [1_000, 1_100, 2_000];
    /** Number of people who are admitted, because they wait for 5 s at most. */
    const admitted = 102;

    beforeEach(async () => {
      for (let id = 1; id <= admitted; id++) expect(await retryAfter(id)).to.equal(undefined);
      for (let id = first; id <= last; id++) await retryAfter(id);
    });

    it("admits them in the order of their first requests, before people who come later", async () => {
      await endPairs(60);
      const afterFirst = await retryAfter(last);
      expect(afterFirst, "the last one").to.be.greaterThan(2);
      expect(await retryAfter(later), "later").to.be.within(afterFirst ?? 0, 6);
      expect(await retryAfter(first), "the first one").to.equal(undefined);
      expect(await retryAfter(last), "again").to.be.within(2, afterFirst ?? 0);
    });

    it("gives a greater Retry-After if copies are made more slowly than before", async () => {
      expect(await retryAfter(last)).to.be.lessThan(10);
      await endPairs(16, 0, 5_000);
      expect(await retryAfter(last)).to.equal(120);
      expect(await retryAfter(first)).to.be.within(30, 120);
    });

    it("admits any person while copies of fewer than two people are being made, because some refused people never try again", async () => {
      await endPairs(admitted - 2);
      expect(await retryAfter(later), "copies of two people").to.be.greaterThan(1);
      nth(begun, admitted - 2)();
      await new Promise((resolve) => setImmediate(resolve));
      expect(await retryAfter(later)).to.equal(undefined);
    });
  });

  it("admits fewer people, and gives a greater Retry-After, if returns take long", async () => {
    const slow = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(comeBack));
    for (let n = 0; n < 8; n++) {
      await waitFor(async () => begun.length > n, { what: `return ${n} begins` });
      now += 5_000;
      nth(begun, n)();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await slow;
    let admitted = 0;
    while ((await retryAfter(100 + admitted)) === undefined) admitted++;
    expect(admitted).to.be.within(2, 4);
    await retryAfter(200);
    expect(await retryAfter(201)).to.be.greaterThan(3);
  });

  it("refuses people who have waited too long, because those ahead take longer than the last ones did", async () => {
    queue = new ReturnQueue({ now: () => now }, 50);
    const [first, second, third] = [comeBack(1), comeBack(2), comeBack(3)];
    const refusal = await third?.catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(ApiError);
    expect(people).to.deep.equal([1, 2]);
    await endAll(2);
    await Promise.all([first, second]);
  });

  it("remembers the places of 50,000 people, and begins with the first place again after them", async () => {
    for (let id = 1; id <= 102; id++) expect(await retryAfter(id)).to.equal(undefined);
    const refused = Array.from({ length: 50_000 }, (_, n) => comeBack(1_000 + n).catch(() => "no"));
    expect(new Set(await Promise.all(refused))).to.deep.equal(new Set(["no"]));
    expect(queue.counts.withTickets).to.equal(50_000);
    expect(await retryAfter(60_000)).to.equal(3);
    expect(await retryAfter(60_001)).to.equal(3);
    expect(queue.counts.withTickets).to.equal(2);
  });

  it("gives a Retry-After of at most two minutes", async () => {
    for (let id = 0; id < 6_000; id++) {
      const seconds = await retryAfter(id);
      if (seconds !== undefined) expect(seconds).to.be.within(2, 120);
    }
  });
});
