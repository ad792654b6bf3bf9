import { holds } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { CalendarError } from "./calendar-error.ts";
import { parseDate } from "./dates.ts";
import { parseRule } from "./rule.ts";

describe("recurrence rules", () => {
  it("are parsed in any letter case, with or without RRULE:", () => {
    const rule = parseRule("rrule:freq=monthly;interval=2;byday=-1fr,+2mo,tu;wkst=su;count=3");
    expect(rule).to.deep.equal({
      frequency: "MONTHLY",
      interval: 2,
      count: 3,
      byDay: [
        { weekday: 4, ordinal: -1 },
        { weekday: 0, ordinal: 2 },
        { weekday: 1, ordinal: 0 },
      ],
      byMonthDay: [],
      byMonth: [],
      bySetPos: [],
      weekStart: 6,
    });
  });

  it("end at a local day or at an instant", () => {
    const day = parseDate("2026-12-31")!;
    expect(parseRule("FREQ=DAILY;UNTIL=20261231").until).to.deep.equal({ day });
    expect(parseRule("FREQ=DAILY;UNTIL=20261231T010203Z").until).to.deep.equal({
      instant: day * 86_400 + 3_723,
    });
  });

  it("have each number of a list once, in order", () => {
    const rule = parseRule("FREQ=YEARLY;BYMONTHDAY=31,-1,1,31;BYMONTH=12,1,12;BYSETPOS=-1,1");
    expect(rule).to.deep.include({ byMonthDay: [-1, 1, 31], byMonth: [1, 12], bySetPos: [-1, 1] });
  });

  const refused: Readonly<Record<string, RegExp>> = {
    "": /NAME=VALUE/,
    "INTERVAL=1": /no FREQ/,
    "FREQ=HOURLY": /FREQ=HOURLY: use DAILY/,
    "FREQ=DAILY;": /NAME=VALUE/,
    "FREQ=DAILY;FREQ=DAILY": /FREQ twice/,
    "FREQ=DAILY;BYHOUR=9": /BYHOUR, which is not supported/,
    "FREQ=YEARLY;BYWEEKNO=9": /BYWEEKNO/,
    "FREQ=YEARLY;BYYEARDAY=9": /BYYEARDAY/,
    "FREQ=DAILY;__PROTO__=1": /not supported/,
    "FREQ=WEEKLY;BYMONTHDAY=1": /BYMONTHDAY with FREQ=WEEKLY/,
    "FREQ=DAILY;COUNT=1;UNTIL=20261231": /COUNT and UNTIL/,
    "FREQ=DAILY;COUNT=1001": /1 to 1000/,
    "FREQ=DAILY;COUNT=0": /1 to 1000/,
    "FREQ=DAILY;COUNT=1,2": /more than one COUNT/,
    "FREQ=DAILY;INTERVAL=0": /1 to 1000/,
    "FREQ=DAILY;INTERVAL=-1": /1 to 1000/,
    "FREQ=DAILY;INTERVAL=1e3": /1 to 1000/,
    "FREQ=DAILY;INTERVAL=": /1 to 1000/,
    "FREQ=DAILY;BYSETPOS=1": /BYSETPOS alone/,
    "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0": /-366 to -1, or 1 to 366/,
    "FREQ=MONTHLY;BYMONTHDAY=32": /-31 to -1, or 1 to 31/,
    "FREQ=MONTHLY;BYMONTHDAY=0": /-31 to -1, or 1 to 31/,
    "FREQ=YEARLY;BYMONTH=13": /1 to 12/,
    "FREQ=YEARLY;BYMONTH=-1": /1 to 12/,
    "FREQ=DAILY;BYDAY=1MO": /number before a day/,
    "FREQ=WEEKLY;BYDAY=-1MO": /number before a day/,
    "FREQ=YEARLY;BYDAY=1MO": /number before a day/,
    "FREQ=MONTHLY;BYDAY=6MO": /BYDAY/,
    "FREQ=MONTHLY;BYDAY=0MO": /BYDAY/,
    "FREQ=MONTHLY;BYDAY=MON": /BYDAY/,
    "FREQ=MONTHLY;BYDAY=XX": /BYDAY/,
    "FREQ=WEEKLY;WKST=XX": /WKST/,
    "FREQ=DAILY;UNTIL=20260230": /UNTIL/,
    "FREQ=DAILY;UNTIL=20261231T000000": /UNTIL/,
    "FREQ=DAILY;UNTIL=20261231T250000Z": /UNTIL/,
    "FREQ=DAILY;UNTIL=00000101": /UNTIL/,
    [`FREQ=MONTHLY;BYMONTHDAY=${"1,".repeat(140)}1`]: /longer than 300/,
  };
  for (const [text, message] of Object.entries(refused))
    it(`rejects "${text.slice(0, 60)}"`, () => {
      expect(() => parseRule(text))
        .to.throw(CalendarError, message)
        .with.property("field", "rrule");
    });

  it("quote 40 characters of a text at most", () => {
    const long = "X".repeat(290);
    for (const text of [
      `FREQ=${long}`,
      `${long}=1`,
      long,
      `FREQ=DAILY;COUNT=${long}`.slice(0, 300),
    ])
      expect(() => parseRule(text))
        .to.throw(CalendarError)
        .with.property("message")
        .of.length.below(260);
  });

  it("are refused with a reason or parsed, whatever the text", async () => {
    const pieces = [
      "FREQ=",
      "DAILY",
      ";",
      ",",
      "=",
      "BYDAY",
      "-1",
      "MO",
      "COUNT",
      "9",
      "RRULE:",
      "ſ",
      "İ",
    ];
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join("")),
    );
    const parsed = (rrule: string) => {
      try {
        parseRule(rrule);
      } catch (error) {
        expect(error).to.be.instanceOf(CalendarError);
      }
    };
    await holds(fc.property(text, parsed), 10);
  });
});
