import { dayNumber, formatDate, parseDate, parseRule, Recurrence } from "@carillon/calendar";
import { randomRules } from "@carillon/testkit";
import { report, say, type Row } from "./lib/report.ts";
import { median } from "./lib/statistics.ts";

// Measures the time to find the next occurrence of a rule: for an old and a new start date, and for the slowest of many
// rules.
const rules = 10_000;
const rounds = 9;
const repeats = 2_000;
const today = dayNumber(2026, 11, 24);
const oldRules = [
  "FREQ=DAILY",
  "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
  "FREQ=MONTHLY;BYDAY=-1FR",
  "FREQ=YEARLY",
];

/** Parses a rule and finds its next occurrence. @returns milliseconds */
function cost(rrule: string, start: number): number {
  const startedAt = performance.now();
  const rule = parseRule(rrule);
  const until = rule.until && "day" in rule.until ? rule.until.day : undefined;
  new Recurrence(rule, start, until).next(today);
  return performance.now() - startedAt;
}

function typical(rrule: string, start: number): number {
  return median(
    Array.from({ length: rounds }, () => {
      let sum = 0;
      for (let n = 0; n < repeats; n++) sum += cost(rrule, start);
      return sum / repeats;
    }),
  );
}

function byAge(): Row {
  const [yesterday, longAgo] = [today - 1, dayNumber(1996, 11, 24)];
  for (const rrule of oldRules) typical(rrule, longAgo);
  const ratios = oldRules.map((rrule) => {
    const [near, far] = [typical(rrule, yesterday), typical(rrule, longAgo)];
    say(
      `${rrule}: ${(near * 1_000).toFixed(1)} µs from yesterday, ${(far * 1_000).toFixed(1)} µs from 30 years ago`,
    );
    return far / near;
  });
  const worst = Math.max(...ratios);
  return {
    question: `next occurrence of ${oldRules.length} rules: start 30 years ago against yesterday, the largest factor`,
    value: `${worst.toFixed(2)} ×`,
    target: "at most 2 ×",
    holds: worst <= 2,
  };
}

function worstOfMany(): Row {
  const all = randomRules(rules, 496).map(({ rrule, start }) => ({
    name: `${rrule} from ${start}`,
    // The median, because the slowest of a few runs may contain a garbage collection.
    ms: median(Array.from({ length: 5 }, () => cost(rrule, parseDate(start)!))),
  }));
  // Clients may choose any start, however old.
  const hostile = [
    "FREQ=WEEKLY;BYMONTH=2;BYSETPOS=7;COUNT=1000",
    "FREQ=DAILY;BYMONTHDAY=29;BYMONTH=2;BYDAY=MO;COUNT=1000",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
  ];
  for (const rrule of hostile)
    all.push({
      name: `${rrule} from ${formatDate(dayNumber(1, 1, 1))}`,
      ms: median(Array.from({ length: 5 }, () => cost(rrule, dayNumber(1, 1, 1)))),
    });
  all.sort((a, b) => b.ms - a.ms);
  for (const { name, ms } of all.slice(0, 5)) say(`${ms.toFixed(3)} ms ${name}`);
  const { name, ms } = all[0]!;
  return {
    question: `next occurrence, the slowest of ${rules.toLocaleString("en")} random rules and ${hostile.length} from the year 1, median of 5`,
    value: `${ms.toFixed(2)} ms (${name}; half of them at most ${(median(all.map((each) => each.ms)) * 1_000).toFixed(0)} µs)`,
    target: "at most 5 ms",
    holds: ms <= 5,
  };
}

await report("calendar", [byAge(), worstOfMany()]);
