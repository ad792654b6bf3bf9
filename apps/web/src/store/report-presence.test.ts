import { expect } from "chai";
import { reportPresence } from "./report-presence.ts";

describe("The report of presence", () => {
  it("starts no timer for an account that has signed out", () => {
    const before = [globalThis.setTimeout, globalThis.setInterval] as const;
    const started: string[] = [];
    const note = (name: string) => () => started.push(name);
    Object.assign(globalThis, {
      setTimeout: note("timeout"),
      setInterval: note("interval"),
      addEventListener: note("listener"),
    });
    try {
      reportPresence({} as never, AbortSignal.abort());
    } finally {
      const [setTimeout, setInterval] = before;
      Object.assign(globalThis, { setTimeout, setInterval });
      Reflect.deleteProperty(globalThis, "addEventListener");
    }
    expect(started).to.deep.equal([]);
  });
});
