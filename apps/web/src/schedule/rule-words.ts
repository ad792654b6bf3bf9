import { texts } from "../texts.ts";
import type { Rule } from "./rule.ts";
import { weekdays } from "./rule.ts";
import { day, type TimeStyle, timeOfDay } from "../time/words.ts";
import { instantOf, weekdayOf } from "../time/zones.ts";

const t = texts.schedule.ruleWords;

/**
 * Says how often a series is sent: `Every Monday and Friday at 09:00, until Thu 31 Dec`.
 * @param start the first day that counts and the time of day, in the style's zone
 */
export function ruleInWords(rule: Rule, start: string, now: number, style: TimeStyle): string {
  const { kind, interval, days, monthDay, end } = rule;
  const seconds = instantOf(start.slice(0, 16), style.zone)?.seconds;
  const time = seconds === undefined ? start.slice(11, 16) : timeOfDay(seconds, style);
  if (kind === "other") return t.at(t.rule(rule.text), time);
  // A weekly rule without days is of the weekday on which it starts; Sunday is 0.
  const startDay = weekdays[(weekdayOf(start.slice(0, 10)) + 6) % 7] ?? "MO";
  const names = (days.length > 0 ? days : [startDay]).map((one) => texts.schedule.weekdays[one]);
  const list = new Intl.ListFormat(style.locale, { type: "conjunction" }).format(names);
  const often = {
    daily: t.days(interval),
    weekdays: t.weekdays,
    weekly: t.weeks(interval, list),
    monthly: t.months(interval, monthDay === -1 ? t.lastDay : t.day(monthDay)),
  }[kind];
  return `${t.at(often, time)}${endInWords()}`;

  function endInWords(): string {
    if (end.kind === "count") return t.count(end.count);
    if (end.kind === "never") return "";
    const last = instantOf(`${end.date}T12:00`, style.zone)?.seconds;
    return last === undefined ? "" : t.until(day(last, now, style));
  }
}
