import { expect } from "chai";

import type { LogRow } from "./log.ts";
import { EventMemory } from "./recent-events.ts";

const row = (seq: number, weight = 10): LogRow => ({
  event: {
    seq,
    type: "t",
    op: null,
    declared: undefined,
    payload: {},
    audience: null,
    userData: null,
  },
  weight,
  loggedAt: seq,
});
const rows = (from: number, to: number, weight?: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => row(from + i, weight));
const seqs = (events: Iterable<{ seq: number }>) => [...events].map(({ seq }) => seq);

describe("EventMemory", () => {
  it("keeps events after the floor, and returns those after a number", () => {
    const memory = new EventMemory({ events: 100, weight: 10_000 });
    const recent = memory.open(7);
    expect([recent.floor, recent.head, recent.length]).to.deep.equal([7, 7, 0]);
    memory.append(recent, rows(8, 12));
    expect([recent.floor, recent.head, recent.length]).to.deep.equal([7, 12, 5]);
    expect(seqs(recent.after(7))).to.deep.equal([8, 9, 10, 11, 12]);
    expect(seqs(recent.after(11))).to.deep.equal([12]);
    expect(seqs(recent.after(12))).to.deep.equal([]);
  });

  it("refuses a row that does not follow the last one", () => {
    const memory = new EventMemory({ events: 100, weight: 10_000 });
    const recent = memory.open(7);
    expect(() => memory.append(recent, [row(9)])).to.throw("event 9 does not follow 7");
  });

  it("drops the oldest events beyond the limits of number and weight, over all organizations", () => {
    const memory = new EventMemory({ events: 3_000, weight: 100_000 });
    const one = memory.open(0);
    const two = memory.open(50);
    memory.append(one, rows(1, 5_000, 1));
    expect([memory.events, memory.weight]).to.deep.equal([3_000, 3_000]);
    expect([one.floor, one.head]).to.deep.equal([2_000, 5_000]);
    expect(seqs(one.after(4_998))).to.deep.equal([4_999, 5_000]);
    memory.append(two, rows(51, 60, 9_950));
    expect(memory.weight).to.be.at.most(100_000);
    expect(memory.events).to.equal(one.length + two.length);
    expect([one.head, two.head]).to.deep.equal([5_000, 60]);
  });

  it("forgets a closed organization, and restarts a reset one at its floor", () => {
    const memory = new EventMemory({ events: 100, weight: 10_000 });
    const one = memory.open(0);
    const two = memory.open(0);
    memory.append(one, rows(1, 10));
    memory.append(two, rows(1, 5));
    memory.reset(two, 20);
    expect([two.floor, two.head, memory.events, memory.weight]).to.deep.equal([20, 20, 10, 100]);
    memory.append(two, [row(21)]);
    memory.close(one);
    expect([memory.events, memory.weight]).to.deep.equal([1, 10]);
  });
});
