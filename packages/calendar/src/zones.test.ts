import { expect } from "chai";
import { CalendarError } from "./calendar-error.ts";
import { dayNumber } from "./dates.ts";
import { formatLocalTime, parseLocalTime } from "./local-time.ts";
import { loadZones, tzdataVersion, type Zones } from "./zones.ts";

const zoneNames = [
  "Europe/Berlin",
  "Europe/London",
  "Europe/Lisbon",
  "Europe/Moscow",
  "Europe/Istanbul",
  "America/New_York",
  "America/Los_Angeles",
  "America/Sao_Paulo",
  "America/Santiago",
  "America/St_Johns",
  "America/Havana",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Asia/Kolkata",
  "Asia/Tehran",
  "Asia/Beirut",
  "Asia/Gaza",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Antarctica/Troll",
];

/** Offsets of a zone as Intl formats them, an implementation apart from the one under test. */
function offsetsOf(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const known = new Map<number, number>();
  return (instant) => {
    const cached = known.get(instant);
    if (cached !== undefined) return cached;
    const text = format.format(instant * 1_000);
    const [, sign, hours, minutes, seconds = "0"] =
      /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text) ?? [];
    const size = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds);
    known.set(instant, sign === "-" ? -size : size);
    return known.get(instant)!;
  };
}

/** Finds the first instants with another offset, from 2020 to the end of 2037. */
function transitionsOf(offset: (instant: number) => number): number[] {
  const [begin, end] = [dayNumber(2020, 1, 1) * 86_400, dayNumber(2038, 1, 1) * 86_400];
  const found: number[] = [];
  for (let day = begin; day < end; day += 86_400) {
    if (offset(day) === offset(day + 86_400)) continue;
    let [before, after] = [day, day + 86_400];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offset(middle) === offset(day)) before = middle;
      else after = middle;
    }
    found.push(after);
  }
  return found;
}

describe("time zones", () => {
  let zones: Zones;
  before(async () => {
    zones = await loadZones();
  });

  const at = (text: string, zone: string) => zones.toInstant(parseLocalTime(text), zone);

  it("are named in any letter case", () => {
    expect(zones.canonicalName("europe/BERLIN")).to.equal("Europe/Berlin");
    expect(zones.canonicalName("asia/kolkata")).to.equal("Asia/Kolkata");
    expect(zones.canonicalName("utc")).to.equal("UTC");
    expect(zones.canonicalName("etc/gmt+5")).to.equal("Etc/GMT+5");
    expect(zones.canonicalName("america/argentina/buenos_aires")).to.equal(
      "America/Argentina/Buenos_Aires",
    );
  });

  const wrong = [
    "Mars/Phobos",
    "+02:00",
    "02:00",
    "-0500",
    "",
    "Z",
    "Berlin",
    "Europe/Berlin ",
    "İ",
    "../Berlin",
  ];
  for (const name of [...wrong, "2020-01-01T00:00Z[Europe/Berlin]", "A/".repeat(10_000)])
    it(`rejects "${name.slice(0, 40)}"`, () => {
      expect(() => zones.canonicalName(name))
        .to.throw(CalendarError, /IANA/)
        .with.property("field", "timezone");
    });

  it("turn a local time into an instant and back", () => {
    expect(at("2026-12-01T09:00", "Europe/Berlin")).to.deep.equal({
      instant: Date.UTC(2026, 11, 1, 8) / 1_000,
      localTime: "2026-12-01T09:00:00+01:00",
      clock: "once",
    });
    const local = zones.toLocal(Date.UTC(2026, 11, 1, 8) / 1_000 + 0.7, "Europe/Berlin");
    expect(local).to.deep.equal({
      ...parseLocalTime("2026-12-01T09:00"),
      localTime: "2026-12-01T09:00:00+01:00",
    });
  });

  it("give the first instant after a gap", () => {
    expect(at("2024-03-31T02:30", "Europe/Berlin")).to.include({
      localTime: "2024-03-31T03:00:00+02:00",
      clock: "gap",
    });
    expect(at("2024-03-31T02:00", "Europe/Berlin")).to.include({
      localTime: "2024-03-31T03:00:00+02:00",
      clock: "gap",
    });
    expect(at("2024-03-31T03:00", "Europe/Berlin").clock).to.equal("once");
  });

  it("give the first instant after a whole day that a zone left out", () => {
    expect(at("2011-12-30T09:00", "Pacific/Apia")).to.include({
      localTime: "2011-12-31T00:00:00+14:00",
      clock: "gap",
    });
  });

  it("give the first of two instants", () => {
    expect(at("2024-10-27T02:30", "Europe/Berlin")).to.include({
      localTime: "2024-10-27T02:30:00+02:00",
      clock: "overlap",
    });
    expect(at("2024-10-27T03:00", "Europe/Berlin").clock).to.equal("once");
  });

  it("have a version of their data", () => {
    expect(tzdataVersion).to.match(/^20\d\d[a-z]$/);
  });

  for (const zone of zoneNames)
    it(`agree with Intl around each change of ${zone} from 2020 to 2037`, function () {
      this.timeout(120_000);
      const offset = offsetsOf(zone);
      for (const transition of transitionsOf(offset)) {
        const [earlier, later] = [offset(transition - 1), offset(transition)];
        for (const base of [transition + earlier, transition + later])
          for (const moved of [-5_400, -1, 0, 1, 900, 1_799, 1_800, 3_599, 3_600, 5_400, 7_200]) {
            const wall = base + moved - 1_800;
            const day = Math.floor(wall / 86_400);
            const time = { day, second: wall - day * 86_400 };
            const candidates = [wall - earlier, wall - later].filter(
              (instant) => instant + offset(instant) === wall,
            );
            const different = new Set(candidates).size;
            const wanted = different === 0 ? transition : Math.min(...candidates);
            const found = zones.toInstant(time, zone);
            const title = `${zone} ${formatLocalTime(time)}`;
            expect(found.instant, title).to.equal(wanted);
            expect(found.clock, title).to.equal(["gap", "once", "overlap"][different]);
            const shown = wanted + offset(wanted);
            const local = zones.toLocal(wanted, zone);
            expect(local.day * 86_400 + local.second, title).to.equal(shown);
            expect(Date.parse(found.localTime), title).to.equal(wanted * 1_000);
          }
      }
    });
});
