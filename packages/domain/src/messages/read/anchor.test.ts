import { ApiError } from "@carillon/contract";
import { expect } from "chai";

import { largestAnchor, parseAnchor, parseAnchorDate } from "./anchor.ts";

describe("anchors", () => {
  it("are message IDs, held between 0 and the largest", () => {
    const idOf = (anchor: string) => parseAnchor({ anchor });
    expect(idOf("17")).to.deep.equal({ kind: "id", id: 17 });
    expect(idOf("-17")).to.deep.equal({ kind: "id", id: 0 });
    expect(idOf("3000000000")).to.deep.equal({ kind: "id", id: 3_000_000_000 });
    expect(idOf("10000000000000000")).to.deep.equal({ kind: "id", id: largestAnchor });
    for (const anchor of ["9223372036854775808", "9".repeat(400), "newest"])
      expect(idOf(anchor), anchor).to.deep.equal({ kind: "id", id: largestAnchor });
    expect(idOf("oldest")).to.deep.equal({ kind: "id", id: 0 });
  });

  it("may be the first unread message, which the deprecated parameter asks for whatever else is sent", () => {
    expect(parseAnchor({ anchor: "first_unread" }).kind).to.equal("first_unread");
    expect(parseAnchor({ anchor: "0", useFirstUnreadAnchor: true }).kind).to.equal("first_unread");
    expect(parseAnchor({ anchor: "0", useFirstUnreadAnchor: false }).kind).to.equal("id");
  });

  it("are refused when they are none", () => {
    for (const anchor of [undefined, "", "first", "1.5", "1e3", '"5"', "NEWEST", "0x10", "- 5"])
      expect(() => parseAnchor({ anchor }), String(anchor)).to.throw(ApiError);
  });

  it("may be a date or a time, UTC unless it says otherwise", () => {
    const seconds = (text: string) => parseAnchorDate(text) / 1000;
    const midnight = Date.UTC(2026, 0, 31) / 1000;
    expect(seconds("2026-01-31")).to.equal(midnight);
    expect(seconds("2026-01-31T09:05")).to.equal(midnight + 9 * 3600 + 300);
    expect(seconds("2026-01-31 09:05:07")).to.equal(midnight + 9 * 3600 + 307);
    expect(seconds("2026-01-31T09:05:07.25Z")).to.equal(midnight + 9 * 3600 + 307.25);
    expect(seconds("2026-01-31T00:00:00.123456789+05:30")).to.equal(midnight - 19_800 + 0.123);
    expect(seconds("2026-01-31T00:00-0330")).to.equal(midnight + 12_600);
    expect(seconds("2026-01-31T00:00:00+02")).to.equal(midnight - 7200);
  });

  it("are refused for dates that no calendar has", () => {
    const texts = [
      "",
      "yesterday",
      "2026-02-30",
      "2026-13-01",
      "2026-01-31T25:00",
      "2026-01-31T10:61",
    ];
    for (const text of [undefined, ...texts, "2026-1-1", "1769817600", "2026-01-31T10:00+99:00"])
      expect(() => parseAnchorDate(text), String(text)).to.throw(ApiError);
  });
});
