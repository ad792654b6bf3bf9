import { expect } from "chai";

import { whenNeeded } from "./when-needed.ts";

describe("whenNeeded", () => {
  it("loads at the first call, and once for all concurrent and later calls", async () => {
    let loads = 0;
    const part = whenNeeded(async () => ({ number: ++loads }));
    expect(loads).to.equal(0);
    const [first, second] = await Promise.all([part(), part()]);
    expect(second).to.equal(first);
    expect(await part()).to.equal(first);
    expect(loads).to.equal(1);
  });

  it("rejects all concurrent calls when loading fails, and tries again at the next call", async () => {
    let loads = 0;
    const part = whenNeeded(async () => {
      if (++loads === 1) throw new Error("away");
      return loads;
    });
    const outcomes = await Promise.allSettled([part(), part()]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    expect(await part()).to.equal(2);
  });
});
