import { expect } from "chai";

import type { LogRow } from "./log.ts";
import { Rings } from "./ring.ts";

const row = (seq: number, weight = 10): LogRow => ({
  event: { seq, type: "t", op: null, payload: {}, audience: null, userData: null },
  weight,
  writtenAt: seq,
});
const rows = (from: number, to: number, weight?: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => row(from + i, weight));
const seqs = (events: Iterable<{ seq: number }>) => [...events].map(({ seq }) => seq);

describe("the rings of a gateway", () => {
  it("keep what follows their floor, and give what comes after a number", () => {
    const rings = new Rings({ events: 100, weight: 10_000 });
    const ring = rings.open(7);
    expect([ring.floor, ring.head, ring.length]).to.deep.equal([7, 7, 0]);
    rings.append(ring, rows(8, 12));
    expect([ring.floor, ring.head, ring.length]).to.deep.equal([7, 12, 5]);
    expect(seqs(ring.after(7))).to.deep.equal([8, 9, 10, 11, 12]);
    expect(seqs(ring.after(11))).to.deep.equal([12]);
    expect(seqs(ring.after(12))).to.deep.equal([]);
  });

  it("refuse a row that does not follow", () => {
    const rings = new Rings({ events: 100, weight: 10_000 });
    const ring = rings.open(7);
    expect(() => rings.append(ring, [row(9)])).to.throw("event 9 does not follow 7");
  });

  it("drop the oldest beyond their number, and beyond their weight, over all organizations", () => {
    const rings = new Rings({ events: 3_000, weight: 100_000 });
    const one = rings.open(0);
    const two = rings.open(50);
    rings.append(one, rows(1, 5_000, 1));
    expect([rings.events, rings.weight]).to.deep.equal([3_000, 3_000]);
    expect([one.floor, one.head]).to.deep.equal([2_000, 5_000]);
    expect(seqs(one.after(4_998))).to.deep.equal([4_999, 5_000]);
    rings.append(two, rows(51, 60, 9_950));
    expect(rings.weight).to.be.at.most(100_000);
    expect(rings.events).to.equal(one.length + two.length);
    expect([one.head, two.head]).to.deep.equal([5_000, 60]);
  });

  it("forget what is closed, and begin anew where they are reset", () => {
    const rings = new Rings({ events: 100, weight: 10_000 });
    const one = rings.open(0);
    const two = rings.open(0);
    rings.append(one, rows(1, 10));
    rings.append(two, rows(1, 5));
    rings.reset(two, 20);
    expect([two.floor, two.head, rings.events, rings.weight]).to.deep.equal([20, 20, 10, 100]);
    rings.append(two, [row(21)]);
    rings.close(one);
    expect([rings.events, rings.weight]).to.deep.equal([1, 10]);
  });
});
