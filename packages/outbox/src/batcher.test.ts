import { silentLogger } from "@carillon/kit";
import { expect } from "chai";

import { type BatcherOptions, createBatcher } from "./batcher.ts";

/** Longer than any test: a batch that comes sooner has not waited for the pause. */
const pauseMs = 3_600_000;

describe("createBatcher", () => {
  let batches: number[][];
  let onBatch: (() => void) | undefined;
  beforeEach(() => {
    batches = [];
    onBatch = undefined;
  });

  const create = (options?: BatcherOptions<number>) =>
    createBatcher<number>(
      "numbers",
      silentLogger,
      async (numbers) => {
        batches.push([...numbers]);
        onBatch?.();
      },
      options,
    );
  /** Resolves when `count` batches have begun. */
  const begun = (count: number) =>
    new Promise<void>((resolve) => {
      onBatch = () => {
        if (batches.length >= count) resolve();
      };
      onBatch();
    });
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

  it("processes the first items at once, in one batch with others of the same turn", async () => {
    const batcher = create({ pauseMs });
    batcher.add([1]);
    batcher.add([2, 3]);
    await begun(1);
    expect(batches).to.deep.equal([[1, 2, 3]]);
  });

  it("pauses after a batch and processes what came meanwhile together", async () => {
    const batcher = create({ pauseMs: 20 });
    batcher.add([1]);
    await begun(1);
    batcher.add([2]);
    batcher.add([3]);
    await begun(2);
    expect(batches).to.deep.equal([[1], [2, 3]]);
  });

  it("ends the pause for an urgent item, with all that waits", async () => {
    const batcher = create({ pauseMs, isUrgent: (n) => n === 4 });
    batcher.add([1]);
    await begun(1);
    batcher.add([2]);
    batcher.add([3]);
    expect(batches).to.have.lengthOf(1);
    batcher.add([4]);
    await begun(2);
    expect(batches).to.deep.equal([[1], [2, 3, 4]]);
    batcher.add([4, 5]);
    await begun(3);
    expect(batches[2]).to.deep.equal([4, 5]);
  });

  it("ends the pause when a batch is full", async () => {
    const batcher = create({ pauseMs });
    batcher.add([1]);
    await begun(1);
    batcher.add(numbers(499));
    expect(batches).to.have.lengthOf(1);
    batcher.add(numbers(501));
    await begun(3);
    expect(batches.map(({ length }) => length)).to.deep.equal([1, 500, 500]);
  });

  it("does not pause while idle() is awaited, and pauses again afterwards", async () => {
    const batcher = create({ pauseMs });
    batcher.add([1]);
    await begun(1);
    batcher.add([2]);
    await Promise.all([batcher.idle(), batcher.idle()]);
    expect(batches).to.deep.equal([[1], [2]]);
    batcher.add([3]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(batches).to.have.lengthOf(2);
    await batcher.idle();
    expect(batches).to.deep.equal([[1], [2], [3]]);
  });

  it("counts the items of a failed batch and continues", async () => {
    let fails = true;
    const batcher = createBatcher<number>(
      "numbers",
      silentLogger,
      async () => {
        if (fails) throw new Error("the queue is away");
      },
      { pauseMs },
    );
    batcher.add([1, 2]);
    await batcher.idle();
    fails = false;
    batcher.add([3]);
    await batcher.idle();
    expect(batcher.missed).to.equal(2);
  });
});
