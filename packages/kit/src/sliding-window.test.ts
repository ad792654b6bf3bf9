import { expect } from "chai";
import { SlidingWindow } from "./sliding-window.ts";

const start = 1_800_000_000_000;

describe("A sliding window", () => {
  const hit = (window: SlidingWindow, now: number) => window.add(window.sliceAt(now), 1);

  it("allows requests again when earlier ones are older than the window, and no sooner", () => {
    const window = new SlidingWindow({ seconds: 60, requests: 3 });
    for (const at of [0, 10_000, 20_000]) hit(window, start + at);
    expect(window.state(start + 20_000)).to.deep.include({ limit: 3, remaining: 0 });
    for (const at of [20_000, 40_000, 60_000]) {
      const { blockedMs } = window.state(start + at);
      // At most a thirtieth of the window late.
      expect(at + blockedMs).to.be.within(60_000, 62_000);
    }
    expect(window.state(start + 62_001)).to.deep.include({ remaining: 1, blockedMs: 0 });
    hit(window, start + 62_001);
    expect(window.state(start + 62_001).blockedMs).to.be.within(7_999, 10_000);
  });

  it("never allows more requests in any window than the rule, whatever the input", () => {
    const rule = { seconds: 10, requests: 7 };
    const window = new SlidingWindow(rule);
    const admitted: number[] = [];
    // Between 40 and 440 ms apart, the same each time.
    for (let i = 0, now = start; i < 2_000; i++, now += 40 + ((i * 7_919) % 401))
      if (window.used(now) < rule.requests) {
        hit(window, now);
        admitted.push(now);
      }
    expect(admitted.length).to.be.greaterThan(200);
    for (const [i, at] of admitted.entries()) {
      const after = admitted[i + rule.requests];
      if (after !== undefined) expect(after - at).to.be.at.least(10_000);
    }
  });

  it("is empty once the newest request is older than the window, and drops counts of the future when the clock is set back", () => {
    const window = new SlidingWindow({ seconds: 60, requests: 3 });
    const free = { limit: 3, remaining: 3, freeAt: start, blockedMs: 0 };
    expect(window.state(start)).to.deep.equal(free);
    hit(window, start);
    expect(window.state(start).freeAt).to.be.within(start + 60_000, start + 62_000);
    hit(window, start + 3_600_000);
    expect(window.used(start)).to.equal(1);
  });
});
