import { loadZones } from "@carillon/calendar";
import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { loadEnglish, readWhen, type WhenContext } from "./read-when.ts";

/** Tuesday, 24 November 2026, 14:20:30 in Berlin. */
const now = Date.parse("2026-11-24T13:20:30Z") / 1_000;

describe("times in words", () => {
  let context: WhenContext;
  before(async () => {
    const [zones, english] = [await loadZones(), await loadEnglish()];
    context = { now, timezone: "Europe/Berlin", zones, english, twentyFourHours: false };
  });

  const read = (phrase: string, changes: Partial<WhenContext> = {}) => {
    const when = readWhen(phrase, { ...context, ...changes });
    return when.kind === "times" ? when.readings.map(({ localTime }) => localTime) : when.kind;
  };

  const single: Readonly<Record<string, string>> = {
    "in 20 minutes": "2026-11-24T14:40:30+01:00",
    "in 90 seconds": "2026-11-24T14:22:00+01:00",
    "in half an hour": "2026-11-24T14:50:30+01:00",
    "an hour from now": "2026-11-24T15:20:30+01:00",
    "in 1 hour and 30 minutes": "2026-11-24T15:50:30+01:00",
    "in 1h30m": "2026-11-24T15:50:30+01:00",
    "tomorrow 9:00": "2026-11-25T09:00:00+01:00",
    "tomorrow at 9am": "2026-11-25T09:00:00+01:00",
    "friday 5pm": "2026-11-27T17:00:00+01:00",
    "on friday at 5pm": "2026-11-27T17:00:00+01:00",
    "this friday 5pm": "2026-11-27T17:00:00+01:00",
    "friday next week 9am": "2026-12-04T09:00:00+01:00",
    "2026-12-01 09:30": "2026-12-01T09:30:00+01:00",
    "2026-12-01T09:30": "2026-12-01T09:30:00+01:00",
    "13/12 9am": "2026-12-13T09:00:00+01:00",
    "12/12 9am": "2026-12-12T09:00:00+01:00",
    "december 3 at noon": "2026-12-03T12:00:00+01:00",
    "3 nov 17:00": "2027-11-03T17:00:00+01:00",
    "17:30": "2026-11-24T17:30:00+01:00",
    "at 9:00": "2026-11-25T09:00:00+01:00",
    "today 15:00": "2026-11-24T15:00:00+01:00",
    "in 3 days at 10am": "2026-11-27T10:00:00+01:00",
    "9am tomorrow America/New_York": "2026-11-25T09:00:00-05:00",
    "tomorrow 9:00 utc": "2026-11-25T09:00:00+00:00",
    "2027-03-28 02:30": "2027-03-28T03:00:00+02:00",
  };
  for (const [phrase, time] of Object.entries(single))
    it(`reads "${phrase}" as one time`, () => {
      expect(read(phrase)).to.deep.equal([time]);
    });

  const several: Readonly<Record<string, readonly string[]>> = {
    "3/4 9am": ["2027-03-04T09:00:00+01:00", "2027-04-03T09:00:00+02:00"],
    "3/4/2027 9am": ["2027-03-04T09:00:00+01:00", "2027-04-03T09:00:00+02:00"],
    "at 5": ["2026-11-24T17:00:00+01:00", "2026-11-25T05:00:00+01:00"],
    "tomorrow at 5": ["2026-11-25T05:00:00+01:00", "2026-11-25T17:00:00+01:00"],
    "next friday 9:00": ["2026-11-27T09:00:00+01:00", "2026-12-04T09:00:00+01:00"],
    "tuesday 17:00": ["2026-11-24T17:00:00+01:00", "2026-12-01T17:00:00+01:00"],
    "2026-12-01": [
      "2026-12-01T09:00:00+01:00",
      "2026-12-01T12:00:00+01:00",
      "2026-12-01T17:00:00+01:00",
    ],
    tonight: [
      "2026-11-24T18:00:00+01:00",
      "2026-11-24T20:00:00+01:00",
      "2026-11-24T22:00:00+01:00",
    ],
    "tomorrow morning": [
      "2026-11-25T07:00:00+01:00",
      "2026-11-25T08:00:00+01:00",
      "2026-11-25T09:00:00+01:00",
    ],
  };
  for (const [phrase, times] of Object.entries(several))
    it(`reads "${phrase}" as several times`, () => {
      expect(read(phrase)).to.deep.equal(times);
    });

  it("reads an hour as one time on a 24-hour clock", () => {
    expect(read("tomorrow at 5", { twentyFourHours: true })).to.deep.equal([
      "2026-11-25T05:00:00+01:00",
    ]);
  });

  for (const phrase of ["yesterday 9am", "5 minutes ago", "2020-01-01 09:00", "today 9:00"])
    it(`reports that "${phrase}" is past`, () => {
      expect(read(phrase)).to.equal("past");
    });

  const nonsense = [
    "",
    "soon",
    "9",
    "31 feb 9am",
    "2026-02-30 09:00",
    "last friday 9am",
    "0",
    "in 999999 hours",
    "in 1 day 2 hours",
  ];
  const leftOver = [
    "friday the 13th 9am",
    "tomorrow 9:00 sharp",
    "9am tomorrow or friday",
    "maybe tomorrow 9:00",
  ];
  const ranges = [
    "from 9am to 10am tomorrow",
    "tomorrow at 25:00",
    "x".repeat(101),
    "a week from friday 9:00",
  ];
  for (const phrase of [...nonsense, ...leftOver, ...ranges])
    it(`reports that "${phrase.slice(0, 40)}" is unclear`, () => {
      expect(read(phrase)).to.equal("unclear");
    });

  for (const phrase of [
    "tomorrow 9:00 Mars/Phobos",
    "2026-12-01T09:30Z",
    "2026-12-01 09:30+02:00",
    "tomorrow 9am EST",
  ])
    it(`rejects the time zone of "${phrase}"`, () => {
      expect(read(phrase)).to.equal("timezone");
    });

  it("does not depend on the machine's time zone", () => {
    // New York's clocks skip 02:30 on this day.
    const zone = process.env["TZ"];
    try {
      for (const machine of ["America/New_York", "Pacific/Kiritimati", "UTC"]) {
        process.env["TZ"] = machine;
        const at = { now: Date.parse("2026-03-07T12:00:00Z") / 1_000, timezone: "UTC" };
        expect(read("tomorrow 2:30", at), machine).to.deep.equal(["2026-03-08T02:30:00+00:00"]);
        expect(read("in 14 hours and 30 minutes", at), machine).to.deep.equal([
          "2026-03-08T02:30:00+00:00",
        ]);
        expect(read("sunday 2:30", at), machine).to.deep.equal(["2026-03-08T02:30:00+00:00"]);
      }
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it("counts hours across the end of summer time", () => {
    const before = { now: Date.parse("2026-10-25T00:30:00Z") / 1_000 };
    expect(read("in 2 hours", before)).to.deep.equal(["2026-10-25T03:30:00+01:00"]);
  });

  it("returns only future times, whatever the words", async () => {
    const words = [
      "next",
      "friday",
      "in",
      "3",
      "days",
      "at",
      "5",
      "pm",
      "3/4",
      "tomorrow",
      "noon",
      "9:00",
      "last",
      "week",
      "of",
      "month",
      "UTC",
      "end",
      "-",
      "a",
    ];
    const phrase = fc.oneof(
      fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((some) => some.join(" ")),
      fc.string({ unit: "binary", maxLength: 120 }),
    );
    const holdsFor = (text: string) => {
      const when = readWhen(text, context);
      if (when.kind !== "times") return;
      expect(when.readings).to.have.length.within(1, 9);
      for (const { instant, localTime } of when.readings) {
        expect(instant).to.be.greaterThan(now);
        expect(Date.parse(localTime)).to.equal(instant * 1_000);
      }
    };
    await holds(fc.property(phrase, holdsFor), 5);
  });
});
