import { expect } from "chai";
import { formatDate, parseDate } from "./dates.ts";
import { parseLocalTime } from "./local-time.ts";
import { parseRule } from "./rule.ts";
import { Schedule } from "./schedule.ts";
import { loadZones, type Zones } from "./zones.ts";

describe("schedules", () => {
  let zones: Zones;
  before(async () => {
    zones = await loadZones();
  });

  const schedule = (
    rrule: string,
    start: string,
    timezone = "Europe/Berlin",
    excluded: readonly string[] = [],
  ) =>
    new Schedule(
      {
        rule: parseRule(rrule),
        start: parseLocalTime(start),
        timezone,
        excludedDays: new Set(excluded.map((date) => parseDate(date)!)),
      },
      zones,
    );
  /** Counts what an evaluation reads of its rule: at least once for each month that it looks at. */
  const counted = (rrule: string) => {
    let reads = 0;
    const counting = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(from, name, receiver) {
          reads++;
          const value: unknown = Reflect.get(from, name, receiver);
          return Array.isArray(value) ? counting(value) : value;
        },
      });
    return { rule: counting(parseRule(rrule)), reads: () => reads };
  };
  const seconds = (iso: string) => Date.parse(iso) / 1_000;
  const shown = (found: Schedule, after: string, count = 5) => {
    const occurrences = found.after(seconds(after), count);
    return {
      times: occurrences.map(({ localTime }) => localTime),
      warnings: found.warnings(occurrences, seconds(after), count),
    };
  };

  it("keep their local time through daylight saving time", () => {
    const { times, warnings } = shown(
      schedule("FREQ=WEEKLY", "2026-03-22T09:00"),
      "2026-03-01T00:00Z",
      2,
    );
    expect(times).to.deep.equal(["2026-03-22T09:00:00+01:00", "2026-03-29T09:00:00+02:00"]);
    expect(warnings).to.deep.equal([]);
  });

  it("list what comes after an instant, exclusive", () => {
    const daily = schedule("FREQ=DAILY", "2026-12-01T09:00");
    expect(shown(daily, "2026-12-03T08:00:00Z", 1).times).to.deep.equal([
      "2026-12-04T09:00:00+01:00",
    ]);
    expect(shown(daily, "2026-12-03T07:59:59Z", 1).times).to.deep.equal([
      "2026-12-03T09:00:00+01:00",
    ]);
  });

  it("leave out excluded days, which count", () => {
    const found = schedule("FREQ=DAILY;COUNT=3", "2026-12-01T09:00", "UTC", [
      "2026-12-02",
      "2027-01-01",
    ]);
    expect(found.after(0, 5).map(({ date }) => date)).to.deep.equal(["2026-12-01", "2026-12-03"]);
    expect(found.includes(parseDate("2026-12-02")!)).to.equal(true);
  });

  it("include the instant of UNTIL", () => {
    const last = (until: string) => {
      const found = schedule(`FREQ=DAILY;UNTIL=${until}`, "2026-12-01T00:30").after(0, 9);
      return found.at(-1)?.date;
    };
    expect(last("20261204T233000Z")).to.equal("2026-12-05");
    expect(last("20261204T232959Z")).to.equal("2026-12-04");
    expect(last("20261205")).to.equal("2026-12-05");
  });

  it("warn of short months that are left out", () => {
    expect(
      shown(schedule("FREQ=MONTHLY", "2026-12-31T09:00"), "2026-12-01T00:00Z").warnings,
    ).to.deep.equal(["SKIPS_SHORT_MONTHS"]);
    expect(
      shown(schedule("FREQ=YEARLY", "2028-02-29T09:00"), "2028-01-01T00:00Z", 2).warnings,
    ).to.deep.equal(["SKIPS_SHORT_MONTHS"]);
    expect(
      shown(schedule("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-12-31T09:00"), "2026-12-01T00:00Z")
        .warnings,
    ).to.deep.equal([]);
    expect(
      shown(schedule("FREQ=MONTHLY;BYMONTH=1,3", "2026-12-31T09:00"), "2026-12-01T00:00Z").warnings,
    ).to.deep.equal([]);
    expect(
      shown(schedule("FREQ=YEARLY", "2026-12-31T09:00"), "2026-12-01T00:00Z").warnings,
    ).to.deep.equal([]);
    expect(
      shown(schedule("FREQ=DAILY", "2026-01-31T09:00"), "2026-02-01T00:00Z").warnings,
    ).to.deep.equal([]);
    const lastOfFour = "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1";
    expect(
      shown(schedule(lastOfFour, "2026-12-31T09:00"), "2026-12-01T00:00Z").warnings,
    ).to.deep.equal([]);
  });

  it("warn of gaps, overlaps and the end", () => {
    const { times, warnings } = shown(
      schedule("FREQ=DAILY;COUNT=2", "2024-03-30T02:30"),
      "2024-03-01T00:00Z",
    );
    expect(times).to.deep.equal(["2024-03-30T02:30:00+01:00", "2024-03-31T03:00:00+02:00"]);
    expect(warnings).to.deep.equal(["DST_GAP", "ENDS"]);
    const overlap = shown(schedule("FREQ=DAILY", "2024-10-27T02:30"), "2024-10-01T00:00Z", 1);
    expect(overlap).to.deep.equal({
      times: ["2024-10-27T02:30:00+02:00"],
      warnings: ["DST_OVERLAP"],
    });
  });

  it("tell whether they occur within ten years", () => {
    const now = seconds("2026-11-24T12:00Z");
    expect(
      schedule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "2026-01-01T09:00").occursWithin(now),
    ).to.equal(false);
    expect(schedule("FREQ=DAILY;UNTIL=20261123", "2026-01-01T09:00").occursWithin(now)).to.equal(
      false,
    );
    expect(schedule("FREQ=DAILY;UNTIL=20261124", "2026-01-01T09:00").occursWithin(now)).to.equal(
      false,
    );
    expect(schedule("FREQ=DAILY;UNTIL=20261125", "2026-01-01T09:00").occursWithin(now)).to.equal(
      true,
    );
    expect(schedule("FREQ=DAILY", "2037-01-01T09:00").occursWithin(now)).to.equal(false);
    expect(schedule("FREQ=YEARLY;INTERVAL=9", "2026-01-01T09:00").occursWithin(now)).to.equal(true);
  });

  it("find the next day, beyond a limit none", () => {
    const found = schedule("FREQ=WEEKLY", "2026-11-24T09:00", "UTC", ["2026-12-01"]);
    const day = parseDate("2026-11-24")!;
    expect(formatDate(found.nextDay(day)!)).to.equal("2026-12-08");
    expect(found.nextDay(day, day + 7)).to.equal(undefined);
  });

  it("end with the year 9999", () => {
    expect(shown(schedule("FREQ=DAILY", "9999-12-30T23:00"), "9999-01-01T00:00Z")).to.deep.equal({
      times: ["9999-12-30T23:00:00+01:00", "9999-12-31T23:00:00+01:00"],
      warnings: ["ENDS"],
    });
  });

  it("counts the days of a rule with COUNT once for all occurrences of a list", () => {
    const steps = (count: number) => {
      const { rule, reads } = counted("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;COUNT=1000");
      const found = new Schedule(
        { rule, start: parseLocalTime("0001-01-01T09:00"), timezone: "Etc/UTC" },
        zones,
      );
      expect(found.after(seconds("2026-11-24T00:00Z"), count)).to.have.length(count);
      return reads();
    };
    expect(steps(100)).to.be.below(2 * steps(1));
  });

  it("decides in few steps that a rule never occurs, however old it is", () => {
    for (const rrule of [
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30,31",
      "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=DAILY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=DAILY;BYDAY=MO;BYSETPOS=2",
      "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=366",
      "FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU;COUNT=1000",
      "FREQ=DAILY;UNTIL=20200101",
      "FREQ=WEEKLY;UNTIL=20200101T000000Z",
    ])
      for (const start of ["0001-01-01T09:00", "2026-01-01T09:00"]) {
        const { rule, reads } = counted(rrule);
        const found = new Schedule(
          { rule, start: parseLocalTime(start), timezone: "Etc/UTC", excludedDays: new Set() },
          zones,
        );
        expect(found.occursWithin(seconds("2026-11-24T00:00Z")), rrule).to.equal(false);
        expect(reads(), `steps of ${rrule} from ${start}`).to.be.below(5_000);
      }
  });
});
