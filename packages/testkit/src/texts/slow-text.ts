import { slowFragments } from "./slow-fragments.ts";
import { oneOf } from "./sequence.ts";

/** Parameters of a potentially slow text: a beginning, then two fragments repeated. */
export interface SlowText {
  readonly beginning: string;
  readonly repeated: string;
  readonly between: string;
  /** `""` if only one fragment is repeated. */
  readonly after: string;
  /** Fraction of the text that repeats the first fragment, from 0 to 1. */
  readonly share: number;
}

/** Builds the text, `length` code points long. */
export function slowText(of: SlowText, length: number): string {
  const points = Math.round(length * (of.after === "" ? 1 : of.share));
  const first = fill(of.repeated, points);
  return cut(of.beginning + first + of.between + fill(of.after, length - points), length);
}

/** Returns random parameters. */
export function someSlowText(random: () => number): SlowText {
  const some = (most: number): string =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () =>
      oneOf(random, slowFragments),
    ).join("");
  return {
    beginning: some(2),
    repeated: oneOf(random, slowFragments) + some(3),
    between: some(2),
    after: random() < 0.4 ? oneOf(random, slowFragments) + some(2) : "",
    share: random(),
  };
}

/** Returns parameters that differ from `of` in one place. */
export function changedSlowText(random: () => number, of: SlowText): SlowText {
  const place = oneOf(random, ["beginning", "repeated", "between", "after", "share"] as const);
  const other = someSlowText(random);
  if (place === "share" || random() < 0.5) return { ...of, [place]: other[place] };
  return { ...of, [place]: of[place] + oneOf(random, slowFragments) };
}

function fill(piece: string, points: number): string {
  return piece === "" ? "" : cut(piece.repeat(Math.ceil(points / piece.length) * 2), points);
}

/** The first code points; an unpaired surrogate counts as one. */
function cut(text: string, points: number): string {
  return Array.from(text.slice(0, 2 * points))
    .slice(0, points)
    .join("");
}
