import { expect } from "chai";
import { cached } from "./cached.ts";

describe("cached", () => {
  let now: number;
  let reads: number;
  const clock = { now: () => now };
  beforeEach(() => {
    now = 1_000_000;
    reads = 0;
  });

  it("reads once for many callers, and again after its time", async () => {
    const read = cached(async () => ++reads, { minMs: 1_000, clock });
    expect(await Promise.all([read(), read(), read()])).to.deep.equal([1, 1, 1]);
    now += 999;
    expect(await read()).to.equal(1);
    now += 1;
    expect(await read()).to.equal(2);
  });

  it("keeps a slow result longer", async () => {
    const read = cached(
      async () => {
        now += 500;
        return ++reads;
      },
      { minMs: 1_000, clock },
    );
    await read();
    now += 9_999;
    expect(await read()).to.equal(1);
    now += 1;
    expect(await read()).to.equal(2);
  });

  it("keeps failures, too", async () => {
    const read = cached(
      async () => {
        reads++;
        throw new Error("no");
      },
      { minMs: 1_000, clock },
    );
    for (let i = 0; i < 3; i++) {
      expect(await read().catch((error: Error) => error.message)).to.equal("no");
    }
    expect(reads).to.equal(1);
  });

  it("rejects callers who would wait too long, without starting a second read", async () => {
    let finish: (value: string) => void = () => undefined;
    const read = cached(
      () => {
        reads++;
        return new Promise<string>((resolve) => (finish = resolve));
      },
      { limitMs: 5, clock },
    );
    for (let i = 0; i < 2; i++) {
      expect(await read().catch((error: Error) => error.message)).to.equal("no answer within 5 ms");
    }
    expect(reads).to.equal(1);
    finish("late");
    expect(await read()).to.equal("late");
  });
});
