import { oneOf, sequence } from "./texts/index.ts";

/** A recurrence rule that Carillon supports, and a start in the years 1990–2029. */
export interface RandomRule {
  readonly rrule: string;
  /** `1990-01-31`. */
  readonly start: string;
}

const dayCodes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/**
 * Makes rules of every kind, the same ones for the same seed: frequencies, intervals, BY… parts, COUNT and UNTIL. Days with
 * and without an ordinal are not mixed, because dateutil intersects them where RFC 5545 unites them.
 */
export function randomRules(count: number, seed: number): RandomRule[] {
  const random = sequence(seed);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const some = (most: number, make: () => number | string) =>
    [...new Set(Array.from({ length: upTo(most) }, make))].join(",");
  const signed = (most: number) => (random() < 0.3 ? -upTo(most) : upTo(most));
  const pad = (number: number) => String(number).padStart(2, "0");
  const rule = () => {
    const frequency = oneOf(random, ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
    const parts = [`FREQ=${frequency}`];
    if (random() < 0.5) parts.push(`INTERVAL=${upTo(oneOf(random, [3, 12, 60]))}`);
    const byMonth = random() < 0.3;
    if (byMonth) parts.push(`BYMONTH=${some(4, () => upTo(12))}`);
    if (frequency !== "WEEKLY" && random() < 0.4)
      parts.push(`BYMONTHDAY=${some(4, () => signed(31))}`);
    if (random() < 0.5) {
      const ordinals = frequency === "MONTHLY" || (frequency === "YEARLY" && byMonth);
      const ordinal = ordinals && random() < 0.5 ? () => String(signed(5)) : () => "";
      parts.push(`BYDAY=${some(3, () => ordinal() + oneOf(random, dayCodes))}`);
    }
    if (parts.some((part) => part.startsWith("BY")) && random() < 0.25)
      parts.push(`BYSETPOS=${some(2, () => signed(frequency === "YEARLY" ? 20 : 4))}`);
    if (random() < 0.3) parts.push(`WKST=${oneOf(random, dayCodes)}`);
    const end = random();
    if (end < 0.2) parts.push(`COUNT=${upTo(30)}`);
    else if (end < 0.3) parts.push(`UNTIL=${2_000 + upTo(35)}${pad(upTo(12))}${pad(upTo(28))}`);
    const start = `${1_989 + upTo(40)}-${pad(upTo(12))}-${pad(upTo(28))}`;
    return { rrule: parts.join(";"), start };
  };
  return Array.from({ length: count }, rule);
}
