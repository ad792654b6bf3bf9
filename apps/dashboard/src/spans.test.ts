import { expect } from "chai";
import { moment, seconds } from "./spans.ts";

describe("times as operators read them", () => {
  it("show the two largest units", () => {
    const cases: [number, string][] = [
      [0, "0 s"],
      [0.26, "0.3 s"],
      [9.96, "10 s"],
      [59.9, "59 s"],
      [60, "1 min"],
      [200, "3 min 20 s"],
      [18_120, "5 h 2 min"],
      [273_700, "3 d 4 h"],
    ];
    for (const [span, text] of cases) expect(seconds(span)).to.equal(text);
  });

  it("are in UTC, with the distance from now", () => {
    expect(moment(1_700_000_000.7, 1_700_000_060)).to.equal("2023-11-14 22:13:20 UTC (59 s ago)");
    expect(moment(1_700_000_000, 1_699_996_400)).to.equal("2023-11-14 22:13:20 UTC (in 1 h)");
  });

  it("support years beyond 9999", () => {
    expect(moment(253_402_300_799, 0)).to.match(/^9999-12-31 23:59:59 UTC/);
  });
});
