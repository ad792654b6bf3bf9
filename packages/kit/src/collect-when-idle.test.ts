import { constants, PerformanceObserver, type NodeGCPerformanceDetail } from "node:perf_hooks";

import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { collectWhenIdle } from "./collect-when-idle.ts";

describe("collectWhenIdle", () => {
  it("collects garbage once the start is over, and does not leave gc() exposed", async () => {
    const asked: NodeGCPerformanceDetail[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (!("detail" in entry)) continue;
        const collection = entry.detail as NodeGCPerformanceDetail;
        if (collection.flags === constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) asked.push(collection);
      }
    });
    observer.observe({ entryTypes: ["gc"] });
    collectWhenIdle(20);
    await waitFor(() => asked.length === 2, { what: "garbage was collected twice" });
    observer.disconnect();
    for (const { kind } of asked) expect(kind).to.equal(constants.NODE_PERFORMANCE_GC_MAJOR);
    expect(globalThis).not.to.have.property("gc");
  });
});
