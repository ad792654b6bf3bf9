import { expect } from "chai";

import { parseIso8601 } from "./iso-8601.ts";

/** Returns UNIX microseconds: JavaScript's own parsing of `YYYY-MM-DDTHH:MM:SSZ`, plus `microseconds`. */
const at = (text: string, microseconds = 0) =>
  BigInt(Date.parse(text)) * 1_000n + BigInt(microseconds);

describe("parseIso8601", () => {
  const same = (expected: bigint, ...texts: string[]) => {
    for (const text of texts) expect(parseIso8601(text), text).to.equal(expected);
  };

  it("parses calendar dates, basic and extended, to the day, month or year", () => {
    same(at("2026-01-31T00:00:00Z"), "2026-01-31", "20260131", "+002026-01-31", "+0020260131");
    same(at("2026-03-01T00:00:00Z"), "2026-03", "2026-03-01");
    same(at("2026-01-01T00:00:00Z"), "2026", "2026-01", "+002026");
    same(at("2024-02-29T00:00:00Z"), "2024-02-29", "20240229");
  });

  it("parses week dates and ordinal dates", () => {
    same(at("2026-01-31T00:00:00Z"), "2026-W05-6", "2026W056", "2026-031", "2026031", "2026-w05-6");
    same(at("2026-01-26T00:00:00Z"), "2026-W05", "2026W05", "2026-W05-1");
    // A week at the turn of the year belongs to the year with most of its days.
    same(at("2024-12-30T00:00:00Z"), "2025-W01-1");
    same(at("2027-01-03T00:00:00Z"), "2026-W53-7");
    same(at("2024-12-31T00:00:00Z"), "2024-366", "2025-W01-2");
  });

  it("parses times to the hour, minute or second, with any fraction of the last unit", () => {
    same(at("2026-01-31T09:00:00Z"), "2026-01-31T09", "2026-01-31 09", "20260131t09Z");
    same(at("2026-01-31T09:05:00Z"), "2026-01-31T09:05", "20260131T0905", "2026-031T09:05Z");
    same(at("2026-01-31T09:05:07Z"), "2026-01-31T09:05:07", "2026W056T090507");
    same(
      at("2026-01-31T09:30:00Z"),
      "2026-01-31T09.5",
      "2026-01-31T09,50",
      "2026-01-31T09:29,999999999999",
    );
    same(at("2026-01-31T09:05:15Z"), "2026-01-31T09:05.25", "20260131T0905,25");
    same(
      at("2026-01-31T09:05:07Z", 250_000),
      "2026-01-31T09:05:07.25",
      "2026-01-31T09:05:07,250000",
    );
    same(at("2026-01-31T09:05:07Z", 123_456), "2026-01-31T09:05:07.123456");
    same(at("2026-01-31T09:05:07Z", 123_457), "2026-01-31T09:05:07.1234560001");
    same(at("2026-02-01T00:00:00Z"), "2026-01-31T24:00", "2026-01-31T24", "20260131T240000.000");
  });

  it("assumes UTC unless there is an offset of either sign", () => {
    same(
      at("2026-01-31T09:05:00Z"),
      "2026-01-31T09:05Z",
      "2026-01-31T09:05z",
      "2026-01-31T09:05 Z",
    );
    same(
      at("2026-01-31T09:05:00Z"),
      "2026-01-31T14:35+05:30",
      "2026-01-31T14:35+0530",
      "2026-01-31T05:35-03:30",
      "2026-01-31T05:35\u221203:30",
      "2026-01-30T22:05-11",
      "2026-02-01T09:04+23:59",
      "20260131T1035 +0130",
      "2026-01-31T09:05-00:00",
    );
  });

  it("accepts leap seconds only at the end of a UTC day", () => {
    same(at("2017-01-01T00:00:00Z"), "2016-12-31T23:59:60Z", "2017-01-01T05:29:60+05:30");
    same(at("2017-01-01T00:00:00Z", 500_000), "2016-12-31T23:59:60.5Z");
    same(at("2017-01-01T00:00:00Z", 500_000), "2016-12-31T15:59:60,5-08");
    for (const text of [
      "2016-12-31T22:59:60Z",
      "2016-12-31T23:59:60+01:00",
      "2016-12-31T23:59:61Z",
    ])
      expect(parseIso8601(text), text).to.equal(undefined);
  });

  it("parses negative years and far years", () => {
    same(BigInt(new Date(0).setUTCFullYear(0, 0, 1)) * 1_000n, "0000-01-01", "0000", "+000000");
    same(BigInt(new Date(0).setUTCFullYear(99, 4, 1)) * 1_000n, "0099-05");
    same(
      BigInt(new Date(0).setUTCFullYear(-44, 2, 15)) * 1_000n,
      "-000044-03-15",
      "\u22120000440315",
    );
    same(8_640_000_000_000_000_000n, "+275760-09-13");
    for (const text of ["+275760-09-14", "+999999", "-999999-W01-1", "+999999-W53", "-271822-001"])
      expect(parseIso8601(text), text).to.equal(undefined);
  });

  it("rejects dates and times that do not exist", () => {
    for (const text of [
      "2026-02-29",
      "2026-02-30",
      "2026-13-01",
      "2026-00-10",
      "2026-01-00",
      "2026-000",
      "2026-366",
      "2026-W00-1",
      "2026-W54",
      "2025-W53-1",
      "2026-W05-0",
      "2026-W05-8",
      "2026-01-31T25:00",
      "2026-01-31T24:00:00.1",
      "2026-01-31T24:01",
      "2026-01-31T10:61",
      "2026-01-31T10:00+24:00",
      "2026-01-31T10:00+99:00",
      "2026-01-31T10:00+01:60",
    ])
      expect(parseIso8601(text), text).to.equal(undefined);
  });

  it("rejects texts of any other form", () => {
    for (const text of [
      "",
      " ",
      "T",
      "now",
      "2026-1-1",
      "26-01-01",
      "202601",
      "2026-0131",
      "202601-31",
      "2026-W056",
      "1769817600",
      "2026-01-31T",
      "2026-01-31Z",
      "2026-01-31+01:00",
      "2026-01T10:00",
      "2026-W05T10:00",
      "2026-01-31T9:05",
      "2026-01-31T09:0507",
      "2026-01-31T09:05:07.",
      "2026-01-31T09:05+1",
      "2026-01-31T09:05 UTC",
      "2026-01-31T09:05Z[Europe/Paris]",
      "2026-01-31\n",
      "2026-01-31T09:05Z\n",
      "2026-01-31/2026-02-01",
      "P1D",
      "２０２６-01-31",
      "2026-01-31T09:05:07." + "1".repeat(10_000),
      "2".repeat(10_000),
      "2026-01-31T" + "0".repeat(10_000),
    ])
      expect(parseIso8601(text), text.slice(0, 40)).to.equal(undefined);
  });
});
