import { expect } from "chai";

import { WrongCredentials } from "./wrong-credentials.ts";

describe("Wrong credentials for the dashboard", () => {
  const setUp = () => {
    const clock = { time: 1_800_000_000_000, now: () => clock.time };
    return { clock, wrong: new WrongCredentials(clock) };
  };

  it("block only their own network after ten in a minute", () => {
    const { clock, wrong } = setUp();
    for (let i = 0; i < 10; i++) {
      expect(wrong.blockedMs("2001:db8::1")).to.equal(0);
      wrong.count(`2001:db8::${i}`);
    }
    wrong.proven("2001:db8::1");
    expect(wrong.blockedMs("2001:db8::77")).to.be.within(60_000, 62_000);
    expect(wrong.blockedMs("2001:db8:0:1::1")).to.equal(0);
    clock.time += 62_000;
    expect(wrong.blockedMs("2001:db8::77")).to.equal(0);
  });

  it("block all unproven networks after a hundred in total", () => {
    const { wrong } = setUp();
    wrong.proven("10.1.1.1");
    for (let i = 0; i < 100; i++) wrong.count(`10.0.0.${i}`);
    expect(wrong.blockedMs("10.2.2.2")).to.be.greaterThan(0);
    expect(wrong.blockedMs("10.1.1.1")).to.equal(0);
  });
});
