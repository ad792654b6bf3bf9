import { loadZones, parseLocalTime, parseRule, Schedule, type Zones } from "@carillon/calendar";
import { expect } from "chai";

import { readSchedules } from "./read-schedules.ts";
import { parseRuleWords } from "./rule-words.ts";

/** Tuesday, 24 November 2026, 14:20:30 in Berlin. */
const now = Date.parse("2026-11-24T13:20:30Z") / 1_000;

describe("schedules in words", () => {
  let zones: Zones;
  before(async () => {
    zones = await loadZones();
  });

  const read = (words: string, twentyFourHours = false) => {
    const rule = parseRuleWords(words);
    expect(rule, words).not.to.equal(undefined);
    return readSchedules(rule!, { zones, timezone: "Europe/Berlin", twentyFourHours }, now);
  };

  /** The first three occurrences of each reading, without seconds. */
  const times = (words: string, twentyFourHours = false): string[][] => {
    const found = read(words, twentyFourHours);
    expect(found.kind, words).to.equal("schedules");
    if (found.kind !== "schedules") return [];
    return found.readings.map(({ schedule, first }) => {
      const { start, timezone, rrule } = schedule;
      const parts = { rule: parseRule(rrule), start: parseLocalTime(start), timezone };
      const next = new Schedule(parts, zones).after(now, 3);
      expect(next[0]?.instant, words).to.equal(first.instant);
      return next.map(({ localTime }) => localTime.slice(0, 16));
    });
  };

  const single: Readonly<Record<string, readonly string[]>> = {
    "day at 9:00": ["2026-11-25T09:00", "2026-11-26T09:00", "2026-11-27T09:00"],
    "day at 17:00": ["2026-11-24T17:00", "2026-11-25T17:00", "2026-11-26T17:00"],
    "weekday at 9am": ["2026-11-25T09:00", "2026-11-26T09:00", "2026-11-27T09:00"],
    "monday, friday at noon": ["2026-11-27T12:00", "2026-11-30T12:00", "2026-12-04T12:00"],
    // The time of today has passed: the first week is the next one, not the one after it.
    "2 weeks on tuesday at 9:00": ["2026-12-01T09:00", "2026-12-15T09:00", "2026-12-29T09:00"],
    "2 weeks on tuesday at 15:00": ["2026-11-24T15:00", "2026-12-08T15:00", "2026-12-22T15:00"],
    "3 weeks on monday, thursday at 9:00": [
      "2026-11-26T09:00",
      "2026-12-14T09:00",
      "2026-12-17T09:00",
    ],
    "month on the 1st at 9:00": ["2026-12-01T09:00", "2027-01-01T09:00", "2027-02-01T09:00"],
    "month on the 31st at 9:00": ["2026-12-31T09:00", "2027-01-31T09:00", "2027-03-31T09:00"],
    "month on the last day at 9:00": ["2026-11-30T09:00", "2026-12-31T09:00", "2027-01-31T09:00"],
    "month on the first monday at 9:00": [
      "2026-12-07T09:00",
      "2027-01-04T09:00",
      "2027-02-01T09:00",
    ],
    "month on the last friday at 9:00": [
      "2026-11-27T09:00",
      "2026-12-25T09:00",
      "2027-01-29T09:00",
    ],
    "year on december 3 at 9:00": ["2026-12-03T09:00", "2027-12-03T09:00", "2028-12-03T09:00"],
    "year on 29 feb at 9:00": ["2028-02-29T09:00", "2032-02-29T09:00", "2036-02-29T09:00"],
    // Today's time has passed and does not count.
    "day at 9:00 2 times": ["2026-11-25T09:00", "2026-11-26T09:00"],
    "2 weeks on tuesday at 9:00 2 times": ["2026-12-01T09:00", "2026-12-15T09:00"],
    "day at 9:00 until november 26": ["2026-11-25T09:00", "2026-11-26T09:00"],
    "day at 15:00 until 2026-11-24": ["2026-11-24T15:00"],
    "monday at 9:00 until november 23": [
      "2026-11-30T09:00",
      "2026-12-07T09:00",
      "2026-12-14T09:00",
    ],
    "day at 9:00 asia/tokyo": ["2026-11-25T09:00", "2026-11-26T09:00", "2026-11-27T09:00"],
  };
  for (const [words, expected] of Object.entries(single))
    it(`reads "${words}" as one schedule`, () => {
      expect(times(words)).to.deep.equal([expected]);
    });

  it("offers a schedule for each meaning of the hour, the date and the last day", () => {
    expect(times("day at 5").map(([first]) => first)).to.deep.equal([
      "2026-11-25T05:00",
      "2026-11-24T17:00",
    ]);
    expect(times("day at 5", true).map(([first]) => first)).to.deep.equal(["2026-11-25T05:00"]);
    expect(times("year on 3/4 at 9:00").map(([first]) => first)).to.deep.equal([
      "2027-03-04T09:00",
      "2027-04-03T09:00",
    ]);
    const most = times("year on 3/4 at 5 until 5/6/2030").map(([first]) => first);
    expect(most).to.have.length(8);
  });

  it("offers no schedule if the end has passed", () => {
    for (const words of ["day at 9:00 until 2026-11-24", "day at 9:00 until 2020-01-01"])
      expect(read(words), words).to.deep.equal({ kind: "schedules", readings: [] });
  });

  it("reads the name of a time zone, and rejects one that does not exist", () => {
    const found = read("day at 9:00 asia/tokyo");
    expect(found).to.have.nested.property("readings[0].schedule.timezone", "Asia/Tokyo");
    expect(read("day at 9:00 Mars/Phobos").kind).to.equal("timezone");
  });
});
