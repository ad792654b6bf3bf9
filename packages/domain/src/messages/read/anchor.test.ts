import { ApiError } from "@carillon/contract";
import { expect } from "chai";

import { maxAnchor, parseAnchor } from "./request.ts";

describe("anchors", () => {
  it("are message IDs, clamped to the range from 0 to the largest anchor", () => {
    const idOf = (anchor: string) => parseAnchor({ anchor });
    expect(idOf("17")).to.deep.equal({ kind: "id", id: 17 });
    expect(idOf("-17")).to.deep.equal({ kind: "id", id: 0 });
    expect(idOf("3000000000")).to.deep.equal({ kind: "id", id: 3_000_000_000 });
    expect(idOf("10000000000000000")).to.deep.equal({ kind: "id", id: maxAnchor });
    for (const anchor of ["9223372036854775808", "9".repeat(400), "newest"])
      expect(idOf(anchor), anchor).to.deep.equal({ kind: "id", id: maxAnchor });
    expect(idOf("oldest")).to.deep.equal({ kind: "id", id: 0 });
  });

  it("may be first_unread, which use_first_unread_anchor requests whatever anchor is sent", () => {
    expect(parseAnchor({ anchor: "first_unread" }).kind).to.equal("first_unread");
    expect(parseAnchor({ anchor: "0", useFirstUnreadAnchor: true }).kind).to.equal("first_unread");
    expect(parseAnchor({ anchor: "0", useFirstUnreadAnchor: false }).kind).to.equal("id");
  });

  it("are rejected if invalid", () => {
    for (const anchor of [undefined, "", "first", "1.5", "1e3", '"5"', "NEWEST", "0x10", "- 5"])
      expect(() => parseAnchor({ anchor }), String(anchor)).to.throw(ApiError);
  });

  it("may be a date, sent in anchor_date", () => {
    const dated = (anchorDate?: string) => parseAnchor({ anchor: "date", anchorDate });
    const midnight = BigInt(Date.UTC(2026, 0, 31)) * 1_000n;
    for (const text of ["2026-01-31", " 2026-031 ", "20260131T0130+0130", "2026-01-30T24:00Z"])
      expect(dated(text), text).to.deep.equal({ kind: "date", time: midnight });
    for (const text of [undefined, "", " ", "yesterday", "2026-02-30", "1769817600"])
      expect(() => dated(text), String(text)).to.throw(ApiError);
    expect(parseAnchor({ anchor: "5", anchorDate: "yesterday" })).to.deep.equal({
      kind: "id",
      id: 5,
    });
  });
});
