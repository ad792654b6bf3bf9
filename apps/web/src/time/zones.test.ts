import { expect } from "chai";
import { addDays, instantOf, isZone, localOf, weekdayOf } from "./zones.ts";

describe("Local times and time zones", () => {
  const utc = (local: string, zone: string) => {
    const instant = instantOf(local, zone);
    return instant && [new Date(instant.seconds * 1_000).toISOString(), instant.clocks];
  };

  for (const [local, zone, expected, clocks] of [
    ["2026-11-28T09:00", "UTC", "2026-11-28T09:00:00.000Z", "once"],
    ["2026-11-28T09:00", "Europe/Berlin", "2026-11-28T08:00:00.000Z", "once"],
    ["2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z", "once"],
    ["2026-07-01T09:00", "America/New_York", "2026-07-01T13:00:00.000Z", "once"],
    ["2026-07-01T09:00", "Asia/Kathmandu", "2026-07-01T03:15:00.000Z", "once"],
    ["2026-07-01T09:00", "Pacific/Kiritimati", "2026-06-30T19:00:00.000Z", "once"],
    // Clocks go from 02:00 to 03:00.
    ["2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59:00.000Z", "once"],
    ["2026-03-29T02:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z", "skipped"],
    ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:00:00.000Z", "skipped"],
    ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z", "once"],
    ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:00:00.000Z", "skipped"],
    // Clocks go from 03:00 back to 02:00.
    ["2026-10-25T01:59", "Europe/Berlin", "2026-10-24T23:59:00.000Z", "once"],
    ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z", "twice"],
    ["2026-10-25T03:00", "Europe/Berlin", "2026-10-25T02:00:00.000Z", "once"],
    ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z", "twice"],
    // Half an hour, and at midnight.
    ["2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:30:00.000Z", "skipped"],
    ["2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z", "twice"],
    ["2026-03-08T00:30", "America/Havana", "2026-03-08T05:00:00.000Z", "skipped"],
    // A whole day that a zone left out.
    ["2011-12-30T12:00", "Pacific/Apia", "2011-12-30T10:00:00.000Z", "skipped"],
  ] as const)
    it(`finds ${local} in ${zone} (${clocks})`, () => {
      expect(utc(local, zone)).to.deep.equal([expected, clocks]);
    });

  it("finds nothing for texts that are no local times, and for unknown zones", () => {
    for (const local of ["", "2026-11-28", "2026-13-01T09:00", "0020-01-01T09:00", "09:00"])
      expect(instantOf(local, "UTC"), local).to.equal(undefined);
    for (const zone of ["", "Europe/Atlantis", "+01:00", "<b>"]) {
      expect(isZone(zone), zone).to.equal(false);
      expect(instantOf("2026-11-28T09:00", zone), zone).to.equal(undefined);
    }
  });

  it("returns the local time of an instant", () => {
    const at = (time: string, zone: string) => localOf(Date.parse(time) / 1_000, zone);
    expect(at("2026-11-28T23:30:00Z", "Europe/Berlin")).to.equal("2026-11-29T00:30");
    expect(at("2026-10-25T00:30:00Z", "Europe/Berlin")).to.equal("2026-10-25T02:30");
    expect(at("2026-10-25T01:30:00Z", "Europe/Berlin")).to.equal("2026-10-25T02:30");
    expect(at("1969-12-31T23:30:30Z", "UTC")).to.equal("1969-12-31T23:30");
  });

  it("counts days and weekdays without regard to zones", () => {
    expect(addDays("2026-02-28", 1)).to.equal("2026-03-01");
    expect(addDays("2028-02-28", 1)).to.equal("2028-02-29");
    expect(addDays("2026-03-29", -1)).to.equal("2026-03-28");
    expect(weekdayOf("2026-11-29")).to.equal(0);
    expect(weekdayOf("2026-11-30")).to.equal(1);
  });
});
