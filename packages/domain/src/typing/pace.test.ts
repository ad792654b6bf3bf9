import { expect } from "chai";
import { TypingPace } from "./pace.ts";

describe("The pace of typing notifications", () => {
  let now: number;
  let pace: TypingPace;
  beforeEach(() => {
    now = 5_000;
    pace = new TypingPace(() => now);
  });

  it("holds the same back for a second", () => {
    expect(pace.isRepetition("a", "start")).to.equal(false);
    pace.told("a", "start");
    now += 999;
    expect(pace.isRepetition("a", "start")).to.equal(true);
    now += 1;
    expect(pace.isRepetition("a", "start")).to.equal(false);
  });

  it("counts from what was told, not from what was held back", () => {
    pace.told("a", "start");
    for (let asked = 0; asked < 9; asked++) {
      now += 100;
      expect(pace.isRepetition("a", "start")).to.equal(true);
    }
    now += 100;
    expect(pace.isRepetition("a", "start")).to.equal(false);
  });

  it("lets every change pass at once", () => {
    pace.told("a", "start");
    expect(pace.isRepetition("a", "stop")).to.equal(false);
    pace.told("a", "stop");
    expect(pace.isRepetition("a", "stop")).to.equal(true);
    expect(pace.isRepetition("a", "start")).to.equal(false);
  });

  it("keeps conversations apart, and what was told again the longest", () => {
    pace.told("a", "start");
    pace.told("b", "start");
    now += 600;
    pace.told("a", "stop");
    expect(pace.isRepetition("c", "start")).to.equal(false);
    now += 600;
    expect(pace.isRepetition("b", "start")).to.equal(false);
    expect(pace.isRepetition("a", "stop")).to.equal(true);
  });
});
