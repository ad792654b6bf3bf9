import { expect } from "chai";
import { lockClass } from "./locks.ts";

describe("lockClass", () => {
  it("has no number twice", () => {
    const classes = Object.values(lockClass);
    expect(new Set(classes)).to.have.length(classes.length);
  });
});
