import { ApiError } from "@carillon/contract";
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
    expect([times[0], times.at(-1)]).to.deep.equal([6, 11]);
    now += 1_000;
    expect(await retryAfter(299), "too early").to.equal(10);
    await endAll(admitted - 1);
    expect(await retryAfter(299), "after the others").to.equal(undefined);
  });

  /** Comes back until a person is refused, whose id it returns. */
  async function fill(): Promise<number> {
    let id = 1;
    while ((await retryAfter(id)) === undefined) id++;
    return id;
  }

  it("refuses people who come later until those who were refused before have been admitted", async () => {
    const refused = await fill();
    await endAll(refused - 4);
    expect(await retryAfter(refused), "too early").to.be.within(2, 6);
    expect(await retryAfter(500), "later").to.be.within(5, 7);
    now += 5_200;
    expect(await retryAfter(refused), "in the time slot").to.equal(undefined);
    await endAll(refused);
  });

  it("keeps the time slot of a person who tries again in vain", async () => {
    const refused = await fill();
    now += 10_000;
    expect(await retryAfter(refused), "others still wait").to.equal(2);
    expect(await retryAfter(500), "later").to.equal(6);
    await endAll(50);
    expect(await retryAfter(500), "still later").to.equal(6);
    expect(await retryAfter(refused), "in the time slot").to.equal(undefined);
    await endAll(refused);
  });

  it("admits any person while copies of fewer than two people are being made, because refused people may not try again", async () => {
    const refused = await fill();
    expect(await retryAfter(500)).to.be.greaterThan(1);
    await endAll(refused - 2);
    expect(await retryAfter(501)).to.equal(undefined);
    await endAll(refused);
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

  it("gives a Retry-After of at most two minutes", async () => {
    for (let id = 0; id < 6_000; id++) {
      const seconds = await retryAfter(id);
      if (seconds !== undefined) expect(seconds).to.be.within(2, 120);
    }
  });
});
