import { expect } from "chai";

import { Semaphore } from "./semaphore.ts";

describe("Semaphore", () => {
  it("runs as much work at a time as it has permits, first come, first served", async () => {
    const semaphore = new Semaphore(3);
    const begun: number[] = [];
    const ends: Array<() => void> = [];
    const passes = Array.from({ length: 10 }, (_, i) =>
      semaphore.run(async () => {
        begun.push(i);
        await new Promise<void>((resolve) => ends.push(resolve));
        return i;
      }),
    );
    await Promise.resolve();
    expect(begun).to.deep.equal([0, 1, 2]);
    for (let i = 0; i < 10; i++) {
      ends.shift()!();
      await passes[i];
      await new Promise((resolve) => setImmediate(resolve));
      expect(begun.length).to.equal(Math.min(10, i + 4));
    }
    expect(await Promise.all(passes)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("takes a permit without waiting only while one is free", async () => {
    const semaphore = new Semaphore(1);
    expect([semaphore.tryAcquire(), semaphore.tryAcquire()]).to.deep.equal([true, false]);
    const waiting = semaphore.acquire();
    semaphore.release();
    await waiting;
    expect(semaphore.tryAcquire(), "the permit went to the work that waited").to.equal(false);
  });

  it("releases the permit when the work fails", async () => {
    const semaphore = new Semaphore(1);
    const failed = await semaphore
      .run(() => Promise.reject(new Error("no")))
      .catch((error: unknown) => (error as Error).message);
    expect(failed).to.equal("no");
    expect(await semaphore.run(() => Promise.resolve("yes"))).to.equal("yes");
  });
});
