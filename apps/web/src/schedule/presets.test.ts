import { expect } from "chai";
import { firstChoice, presets } from "./presets.ts";

describe("Times of the menu", () => {
  const at = (now: string, zone: string) =>
    presets(Date.parse(now) / 1_000, zone).map(({ seconds }) =>
      new Date(seconds * 1_000).toISOString().slice(0, 16),
    );

  it("are in an hour, tomorrow and next Monday, at nine in the zone", () => {
    expect(at("2026-11-27T13:02:00Z", "Europe/Berlin")).to.deep.equal([
      "2026-11-27T14:02",
      "2026-11-28T08:00",
      "2026-11-30T08:00",
    ]);
  });

  it("count days in the zone, not in UTC", () => {
    expect(at("2026-11-27T23:30:00Z", "Asia/Tokyo").slice(1)).to.deep.equal([
      "2026-11-29T00:00",
      "2026-11-30T00:00",
    ]);
  });

  it("are at nine on the day of a clock change, too", () => {
    expect(at("2026-03-28T12:00:00Z", "Europe/Berlin")[1]).to.equal("2026-03-29T07:00");
  });

  it("never mean today by next Monday", () => {
    expect(at("2026-11-30T05:00:00Z", "UTC")[2]).to.equal("2026-12-07T09:00");
  });

  it("are on whole minutes, and never earlier than an hour from now", () => {
    expect(at("2026-11-27T13:02:01Z", "UTC")[0]).to.equal("2026-11-27T14:03");
  });

  it("begin a form with tomorrow at nine", () => {
    expect(firstChoice(Date.parse("2026-12-31T23:30:00Z") / 1_000, "UTC")).to.equal(
      "2027-01-01T09:00",
    );
  });
});
