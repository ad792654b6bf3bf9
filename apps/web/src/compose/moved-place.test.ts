import { expect } from "chai";
import { movedPlace } from "./moved-place.ts";

describe("A place in a text that is being typed", () => {
  it("stays before text that is typed at it or after it", () => {
    expect(movedPlace(3, "abc", "abcdef")).to.equal(3);
    expect(movedPlace(1, "abc", "abXc")).to.equal(1);
  });

  it("moves with what is typed or deleted before it", () => {
    expect(movedPlace(2, "abc", "Xabc")).to.equal(3);
    expect(movedPlace(3, "abc", "bc")).to.equal(2);
    expect(movedPlace(2, "aa|a", "aaa|a")).to.equal(2);
  });

  it("is at the end of what replaces the text around it", () => {
    expect(movedPlace(2, "abcd", "aXYZd")).to.equal(4);
    expect(movedPlace(3, "abcd", "")).to.equal(0);
  });
});
