import { expect } from "chai";

import { Turnstile } from "./turnstile.ts";

describe("a turnstile", () => {
  it("lets so many through at a time, in order, and all of them in the end", async () => {
    const turnstile = new Turnstile(3);
    const begun: number[] = [];
    const ends: Array<() => void> = [];
    const passes = Array.from({ length: 10 }, (_, i) =>
      turnstile.pass(async () => {
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

  it("gives a place back when the work fails", async () => {
    const turnstile = new Turnstile(1);
    const failed = await turnstile
      .pass(() => Promise.reject(new Error("no")))
      .catch((error: unknown) => (error as Error).message);
    expect(failed).to.equal("no");
    expect(await turnstile.pass(() => Promise.resolve("yes"))).to.equal("yes");
  });
});
