import { randomInt } from "node:crypto";
import { holds, randomRules, type RandomRule } from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import { RRuleTemporal } from "rrule-temporal";
import { Temporal } from "temporal-polyfill";
import { dayNumber, formatDate, lastDay, parseDate } from "./dates.ts";
import { Recurrence } from "./recurrence.ts";
import { parseRule } from "./rule.ts";

/**
 * Random rules that are compared with another library, which takes about 5 ms for each: other ones in each run.
 * `npm run test:clients` compares 10,000.
 */
const compareCount = Number(process.env["CARILLON_RULES"] ?? 1_000);

/** Days of each frequency that are compared: long enough for several occurrences. */
const compared = { DAILY: 60, WEEKLY: 200, MONTHLY: 1_200, YEARLY: 3_000 };

function recurrence(rrule: string, start: string): Recurrence {
  const rule = parseRule(rrule);
  const until = rule.until && "day" in rule.until ? rule.until.day : undefined;
  return new Recurrence(rule, parseDate(start)!, until);
}

/** Lists the first dates after a date. */
function dates(rrule: string, start: string, count = 4, after = "0001-01-01"): string[] {
  const found: string[] = [];
  for (const day of recurrence(rrule, start).days(parseDate(after)!)) {
    if (found.length === count) break;
    found.push(formatDate(day));
  }
  return found;
}

describe("recurrence", () => {
  const examples: ReadonlyArray<[rrule: string, start: string, ...dates: string[]]> = [
    [
      "FREQ=DAILY;INTERVAL=10",
      "2026-12-25",
      "2026-12-25",
      "2027-01-04",
      "2027-01-14",
      "2027-01-24",
    ],
    ["FREQ=WEEKLY", "2026-11-24", "2026-11-24", "2026-12-01", "2026-12-08", "2026-12-15"],
    [
      "FREQ=WEEKLY;BYDAY=MO,FR",
      "2026-11-24",
      "2026-11-27",
      "2026-11-30",
      "2026-12-04",
      "2026-12-07",
    ],
    ["FREQ=MONTHLY", "2026-01-31", "2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"],
    [
      "FREQ=MONTHLY;BYMONTHDAY=-1",
      "2026-01-01",
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
    ],
    [
      "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
      "2026-01-01",
      "2026-02-13",
      "2026-03-13",
      "2026-11-13",
      "2027-08-13",
    ],
    [
      "FREQ=MONTHLY;BYDAY=-1FR",
      "2026-01-01",
      "2026-01-30",
      "2026-02-27",
      "2026-03-27",
      "2026-04-24",
    ],
    [
      "FREQ=MONTHLY;BYDAY=5MO",
      "2026-01-01",
      "2026-03-30",
      "2026-06-29",
      "2026-08-31",
      "2026-11-30",
    ],
    [
      "FREQ=MONTHLY;BYDAY=MO,1TU",
      "2026-12-01",
      "2026-12-01",
      "2026-12-07",
      "2026-12-14",
      "2026-12-21",
    ],
    [
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
      "2026-01-01",
      "2026-01-30",
      "2026-02-27",
      "2026-03-31",
      "2026-04-30",
    ],
    ["FREQ=YEARLY", "2024-02-29", "2024-02-29", "2028-02-29", "2032-02-29", "2036-02-29"],
    [
      "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
      "2026-01-01",
      "2026-11-26",
      "2027-11-25",
      "2028-11-23",
      "2029-11-22",
    ],
    [
      "FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=30",
      "2026-01-01",
      "2026-01-30",
      "2027-01-30",
      "2028-01-30",
      "2029-01-30",
    ],
    ["FREQ=DAILY;COUNT=2", "2026-01-01", "2026-01-01", "2026-01-02"],
    ["FREQ=DAILY;UNTIL=20260102", "2026-01-01", "2026-01-01", "2026-01-02"],
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "2026-01-01"],
  ];
  for (const [rrule, start, ...wanted] of examples)
    it(`finds the days of ${rrule} from ${start} on`, () => {
      expect(dates(rrule, start)).to.deep.equal(wanted);
    });

  it("begins weeks on WKST where every other week counts", () => {
    const rule = "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU";
    expect(dates(rule, "1997-08-05")).to.deep.equal([
      "1997-08-05",
      "1997-08-10",
      "1997-08-19",
      "1997-08-24",
    ]);
    expect(dates(`${rule};WKST=SU`, "1997-08-05")).to.deep.equal([
      "1997-08-05",
      "1997-08-17",
      "1997-08-19",
      "1997-08-31",
    ]);
  });

  it("counts COUNT from the start, whatever is asked for", () => {
    expect(dates("FREQ=WEEKLY;COUNT=4", "2026-11-24", 9, "2026-12-02")).to.deep.equal([
      "2026-12-08",
      "2026-12-15",
    ]);
    expect(dates("FREQ=WEEKLY;COUNT=4", "2026-11-24", 9, "2026-12-15")).to.deep.equal([]);
    expect(dates("FREQ=DAILY;COUNT=1000", "2024-01-01", 9, "2026-09-25")).to.deep.equal([
      "2026-09-26",
    ]);
  });

  it("does not count a start that the rule does not include", () => {
    expect(dates("FREQ=WEEKLY;BYDAY=MO;COUNT=2", "2026-11-24")).to.deep.equal([
      "2026-11-30",
      "2026-12-07",
    ]);
  });

  it("goes on to the end of the year 9999", () => {
    expect(dates("FREQ=DAILY", "0001-01-01", 9, "9999-12-30")).to.deep.equal(["9999-12-31"]);
    expect(dates("FREQ=YEARLY;INTERVAL=1000", "2026-11-24", 9)).to.have.length(8);
  });

  it("agrees with itself about the next day, the n-th, and whether a day belongs to it", async () => {
    const rules = fc.integer({ min: 1, max: 1e9 }).map((seed) => randomRules(1, seed));
    const agrees = ({ rrule, start }: RandomRule, skipped: number) => {
      const days = recurrence(rrule, start);
      const limit = parseDate(start)! + 4_000;
      const all = [...days.days(dayNumber(1, 1, 1), limit)].slice(0, 60);
      const from = all[Math.min(skipped, all.length - 1)];
      if (from === undefined) return;
      expect(days.includes(from)).to.equal(true);
      expect(days.next(from - 1)).to.equal(from);
      expect(days.nth(all.indexOf(from) + 1)).to.equal(from);
      expect([...days.days(from - 1, limit)].slice(0, 60 - skipped)).to.deep.equal(
        all.slice(all.indexOf(from), 60).slice(0, 60 - skipped),
      );
      const other = from + 1;
      expect(days.includes(other)).to.equal(
        all.includes(other) || (other > all.at(-1)! && days.next(from) === other),
      );
    };
    const each = (some: readonly RandomRule[], skipped: number) => {
      for (const rule of some) agrees(rule, skipped);
    };
    await holds(fc.property(rules, fc.nat(40), each), 5);
  });

  it(`finds the days that rrule-temporal finds, for ${compareCount} random rules`, function () {
    this.timeout(600_000);
    const seed = Number(process.env["CARILLON_FUZZ_SEED"] ?? randomInt(2 ** 31));
    const iso = (day: number) => `${formatDate(day)}T00:00:00Z`;
    let found = 0;
    for (const { rrule, start } of randomRules(compareCount, seed)) {
      const first = parseDate(start)!;
      const frequency = parseRule(rrule).frequency;
      const end = first + compared[frequency];
      const ours = [...recurrence(rrule, start).days(first - 1, end)];
      const rruleString = `DTSTART:${start.replaceAll("-", "")}T000000Z\nRRULE:${rrule}`;
      const theirs = new RRuleTemporal({
        rruleString,
        temporal: Temporal,
        maxIterations: 1_000_000,
        cache: false,
      })
        .between(new Date(iso(first)), new Date(iso(end)), true)
        .map((time) => time.toString().slice(0, 10));
      expect(ours.map(formatDate), `${rrule} from ${start}, with seed ${seed}`).to.deep.equal(
        theirs,
      );
      found += ours.length;
    }
    expect(found).to.be.greaterThan(5 * compareCount);
  });

  it("looks at no day beyond its limits", () => {
    expect(recurrence("FREQ=DAILY", "2026-11-24").next(lastDay)).to.equal(undefined);
    expect(recurrence("FREQ=DAILY", "2026-11-24").next(0, 1_000)).to.equal(undefined);
    expect(recurrence("FREQ=DAILY", "2026-11-24").nth(0)).to.equal(undefined);
  });
});
