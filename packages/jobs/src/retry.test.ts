import { expect } from "chai";
import { backoff, pauseAfter } from "./retry.ts";

describe("pauses between attempts", () => {
  const retry = backoff({ attempts: 9, first: "500ms", cap: "4s", jitter: 0.5 });

  it("double up to the cap", () => {
    const pauses = [1, 2, 3, 4, 5, 50].map((failures) => pauseAfter(retry, failures, 0));
    expect(pauses).to.deep.equal([500, 1_000, 2_000, 4_000, 4_000, 4_000]);
  });

  it("are shortened by at most the jitter", () => {
    expect(pauseAfter(retry, 2, 1)).to.equal(500);
    for (let i = 0; i < 100; i++) expect(pauseAfter(retry, 2)).to.be.within(500, 1_000);
  });

  it("are never 0, which the queue would read as no delay", () => {
    expect(
      pauseAfter(backoff({ attempts: 2, first: "1ms", cap: "1ms", jitter: 1 }), 1, 1),
    ).to.equal(1);
  });

  it("refuse impossible numbers", () => {
    const good = { attempts: 3, first: "1s", cap: "5s", jitter: 0 } as const;
    expect(() => backoff({ ...good, attempts: 0 })).to.throw("attempts is 0");
    expect(() => backoff({ ...good, cap: "500ms" })).to.throw("cap (500ms)");
    expect(() => backoff({ ...good, jitter: 1.5 })).to.throw("jitter is 1.5");
  });
});
