import { expect } from "chai";
import { inSlices, nextSlice } from "./in-slices.ts";

/** Keeps the event loop for a little longer than a slice. */
function work(): void {
  const until = performance.now() + 6;
  while (performance.now() < until);
}

describe("Work in slices", () => {
  it("gives the results in order", async () => {
    expect(await inSlices([1, 2, 3], (n) => 2 * n)).to.deep.equal([2, 4, 6]);
  });

  it("gives one task a slice in each round of the event loop, whatever the number of tasks", async () => {
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
    // The first items of the tasks are done at once, each other one in a round of its own.
    expect(slices).to.equal(15);
    expect(rounds).to.be.at.least(10);
  });

  it("gives slices in the order in which they were asked for", async () => {
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
