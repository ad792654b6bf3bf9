import { expect } from "chai";
import { absolute, day, relative, timeOfDay } from "./words.ts";

describe("Words for times", () => {
  const now = Date.parse("2026-11-27T13:00:00Z") / 1_000;
  const berlin = { zone: "Europe/Berlin", locale: "en-GB" };
  /** Versions of ICU differ in commas. */
  const plain = (text: string) => text.replaceAll(",", "");
  const inSeconds = (seconds: number) => relative(now + seconds, now, berlin);

  it("say how far away a time is, in the largest unit that fits", () => {
    expect(inSeconds(5)).to.equal("in 1 minute");
    expect(inSeconds(90 * 60)).to.equal("in 2 hours");
    expect(inSeconds(59 * 60)).to.equal("in 59 minutes");
    expect(inSeconds(59 * 60 + 45)).to.equal("in 1 hour");
    expect(inSeconds(20 * 3_600)).to.equal("in 20 hours");
    expect(inSeconds(3 * 86_400)).to.equal("in 3 days");
    expect(inSeconds(90 * 86_400)).to.equal("in 3 months");
    expect(inSeconds(20 * 365.25 * 86_400)).to.equal("in 20 years");
    expect(inSeconds(-5)).to.equal("1 minute ago");
    expect(inSeconds(-7_200)).to.equal("2 hours ago");
  });

  it("write a time in full, with its zone", () => {
    expect(plain(absolute(now, berlin))).to.equal("Friday 27 November 2026 at 14:00 CET");
  });

  it("follow the setting of 24 hours", () => {
    const american = { zone: "UTC", locale: "en-US" };
    expect(timeOfDay(now, american)).to.match(/^1:00\sPM$/);
    expect(timeOfDay(now, { ...american, twentyFourHours: true })).to.equal("13:00");
  });

  it("name the year of a day only if it is another one", () => {
    expect(plain(day(now, now, berlin))).to.equal("Fri 27 Nov");
    expect(plain(day(now + 60 * 86_400, now, berlin))).to.equal("Tue 26 Jan 2027");
    const newYear = Date.parse("2026-12-31T23:30Z") / 1_000;
    expect(plain(day(newYear, now, berlin))).to.equal("Fri 1 Jan 2027");
  });
});
