import { expect } from "chai";
import { inSlices, nextSlice } from "./in-slices.ts";

/** Blocks the event loop for a little longer than a slice. */
function work(): void {
  const until = performance.now() + 6;
  while (performance.now() < until);
}

describe("Work in slices", () => {
  it("returns the results in order", async () => {
    expect(await inSlices([1, 2, 3], (n) => 2 * n)).to.deep.equal([2, 4, 6]);
  });

  it("runs one slice per round of the event loop, however many tasks there are", async () => {
    let rounds = 0;
    let over = false;
    const count = () => {
      rounds++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    let slices = 0;
    const tasks = Array.from({ length: 5 }, () =>
      inSlices([1, 2, 3], () => {
        slices++;
        work();
      }),
    );
    await Promise.all(tasks);
    over = true;
    // The first items of the tasks are done at once, each other item in its own round.
    expect(slices).to.equal(15);
    expect(rounds).to.be.at.least(10);
  });

  it("runs slices first come, first served", async () => {
    const order: string[] = [];
    const task = async (name: string) => {
      for (let i = 0; i < 3; i++) {
        await nextSlice();
        order.push(name);
      }
    };
    await Promise.all([task("a"), task("b")]);
    expect(order.join("")).to.equal("ababab");
  });
});
