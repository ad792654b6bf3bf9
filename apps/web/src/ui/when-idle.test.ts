import { expect } from "chai";
import { whenIdle } from "./when-idle.ts";

describe("Tasks for idle periods", () => {
  const errors: unknown[] = [];
  before(() => Object.assign(globalThis, { reportError: (error: unknown) => errors.push(error) }));
  after(() => Reflect.deleteProperty(globalThis, "reportError"));

  it("run even after a task that throws", async () => {
    const error = new Error("broken");
    whenIdle(() => {
      throw error;
    });
    await new Promise<void>((resolve) => whenIdle(resolve));
    expect(errors).to.deep.equal([error]);
    await new Promise<void>((resolve) => whenIdle(resolve));
  });
});
