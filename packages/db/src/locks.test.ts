import { expect } from "chai";
import { lockClass } from "./locks.ts";

describe("classes of locks", () => {
  it("are each of one use", () => {
    const classes = Object.values(lockClass);
    expect(new Set(classes)).to.have.length(classes.length);
  });
});
