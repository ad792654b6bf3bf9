import { silentLogger } from "@carillon/kit";
import { expect } from "chai";

import { gather, type GatherOptions } from "./gather.ts";

/** Longer than any test: what comes before it is over has not waited for it. */
const pauseMs = 3_600_000;

describe("What gathers", () => {
  let batches: number[][];
  let onBatch: (() => void) | undefined;
  beforeEach(() => {
    batches = [];
    onBatch = undefined;
  });

  const gathering = (options?: GatherOptions<number>) =>
    gather<number>(
      "numbers",
      silentLogger,
      async (numbers) => {
        batches.push([...numbers]);
        onBatch?.();
      },
      options,
    );
  /** Resolves when there are so many batches. */
  const begun = (count: number) =>
    new Promise<void>((resolve) => {
      onBatch = () => {
        if (batches.length >= count) resolve();
      };
      onBatch();
    });
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

  it("goes out at once when nothing went before it, in one batch with what comes in the same turn", async () => {
    const gatherer = gathering({ pauseMs });
    gatherer.add([1]);
    gatherer.add([2, 3]);
    await begun(1);
    expect(batches).to.deep.equal([[1, 2, 3]]);
  });

  it("waits for the end of the pause, and goes out together with what came meanwhile", async () => {
    const gatherer = gathering({ pauseMs: 20 });
    gatherer.add([1]);
    await begun(1);
    gatherer.add([2]);
    gatherer.add([3]);
    await begun(2);
    expect(batches).to.deep.equal([[1], [2, 3]]);
  });

  it("waits no longer for something urgent, nor does what is there already", async () => {
    const gatherer = gathering({ pauseMs, isUrgent: (n) => n === 4 });
    gatherer.add([1]);
    await begun(1);
    gatherer.add([2]);
    gatherer.add([3]);
    expect(batches).to.have.lengthOf(1);
    gatherer.add([4]);
    await begun(2);
    expect(batches).to.deep.equal([[1], [2, 3, 4]]);
    gatherer.add([4, 5]);
    await begun(3);
    expect(batches[2]).to.deep.equal([4, 5]);
  });

  it("waits no longer than until a batch is full", async () => {
    const gatherer = gathering({ pauseMs });
    gatherer.add([1]);
    await begun(1);
    gatherer.add(numbers(499));
    expect(batches).to.have.lengthOf(1);
    gatherer.add(numbers(501));
    await begun(3);
    expect(batches.map(({ length }) => length)).to.deep.equal([1, 500, 500]);
  });

  it("waits for nothing when somebody waits for all of it, and pauses again afterwards", async () => {
    const gatherer = gathering({ pauseMs });
    gatherer.add([1]);
    await begun(1);
    gatherer.add([2]);
    await Promise.all([gatherer.idle(), gatherer.idle()]);
    expect(batches).to.deep.equal([[1], [2]]);
    gatherer.add([3]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(batches).to.have.lengthOf(2);
    await gatherer.idle();
    expect(batches).to.deep.equal([[1], [2], [3]]);
  });

  it("counts what failed, and goes on", async () => {
    let fails = true;
    const gatherer = gather<number>(
      "numbers",
      silentLogger,
      async () => {
        if (fails) throw new Error("the queue is away");
      },
      { pauseMs },
    );
    gatherer.add([1, 2]);
    await gatherer.idle();
    fails = false;
    gatherer.add([3]);
    await gatherer.idle();
    expect(gatherer.missed).to.equal(2);
  });
});
