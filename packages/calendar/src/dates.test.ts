import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import {
  dateOf,
  dayNumber,
  daysInMonth,
  formatDate,
  isoWeekOf,
  lastDay,
  parseDate,
  weekdayNames,
  weekdayOf,
} from "./dates.ts";

const anyDay = fc.integer({ min: dayNumber(1, 1, 1), max: lastDay });

describe("day numbers", () => {
  it("begin at 1970-01-01, a Thursday", () => {
    expect(dayNumber(1970, 1, 1)).to.equal(0);
    expect(weekdayNames[weekdayOf(0)]).to.equal("Thursday");
    expect(dayNumber(2000, 2, 29) + 1).to.equal(dayNumber(2000, 3, 1));
    expect(dayNumber(1900, 2, 28) + 1).to.equal(dayNumber(1900, 3, 1));
  });

  it("agree with Date for every date of the years 1–9999", async () => {
    const agrees = (day: number) => {
      const date = new Date(day * 86_400_000);
      expect(formatDate(day)).to.equal(date.toISOString().slice(0, 10));
      expect(parseDate(formatDate(day))).to.equal(day);
      expect(weekdayOf(day)).to.equal((date.getUTCDay() + 6) % 7);
      const { year, month } = dateOf(day);
      const end = new Date(0);
      end.setUTCFullYear(year, month, 0);
      expect(daysInMonth(year, month)).to.equal(end.getUTCDate());
    };
    await holds(fc.property(anyDay, agrees), 10);
  });

  it("lie in the ISO week of their Thursday", () => {
    const weeks = { "2026-12-31": 53, "2027-01-03": 53, "2027-01-04": 1, "2024-12-30": 1 };
    for (const [date, week] of Object.entries(weeks))
      expect(isoWeekOf(parseDate(date)!), date).to.equal(week);
  });

  it("are not made from dates that do not exist", () => {
    const wrong = [
      "2026-02-29",
      "2026-13-01",
      "2026-00-01",
      "2026-04-31",
      "0000-01-01",
      "2026-1-1",
    ];
    for (const text of [...wrong, "10000-01-01", "2026-01-01T00:00", "", "-001-01-01"])
      expect(parseDate(text), text).to.equal(undefined);
  });
});
