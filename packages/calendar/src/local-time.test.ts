import { expect } from "chai";
import { CalendarError } from "./calendar-error.ts";
import { parseDate } from "./dates.ts";
import { formatLocalTime, parseLocalTime } from "./local-time.ts";

describe("local times", () => {
  it("have a date and seconds since midnight", () => {
    const day = parseDate("2026-12-01")!;
    expect(parseLocalTime("2026-12-01T09:00")).to.deep.equal({ day, second: 32_400 });
    expect(parseLocalTime("2026-12-01T23:59:59")).to.deep.equal({ day, second: 86_399 });
    expect(formatLocalTime(parseLocalTime("0001-01-01T00:00"))).to.equal("0001-01-01T00:00:00");
  });

  const refused: Readonly<Record<string, RegExp>> = {
    "2026-12-01T09:00Z": /without an offset/,
    "2026-12-01T09:00+01:00": /without an offset/,
    "2026-12-01 09:00": /not a local time/,
    "2026-12-01": /not a local time/,
    "10000-01-01T09:00": /not a local time/,
    "2026-02-30T09:00": /not a date/,
    "0000-01-01T09:00": /not a date/,
    "2026-12-01T25:00": /no time of day/,
    "2026-12-01T24:00": /no time of day/,
    "2026-12-01T09:60": /no time of day/,
    "2026-12-01T09:00:60": /no time of day/,
    "": /not a local time/,
  };
  for (const [text, message] of Object.entries(refused))
    it(`rejects "${text}"`, () => {
      expect(() => parseLocalTime(text))
        .to.throw(CalendarError, message)
        .with.property("field", "start");
    });
});
