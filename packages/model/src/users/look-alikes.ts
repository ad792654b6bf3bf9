import { createRequire } from "node:module";
import { withoutInvisible } from "@carillon/kit";

/**
 * The skeletons of a name (UTS 39): two names look alike if either skeleton is equal. Skeletons are only compared,
 * never stored or shown.
 */
export interface Skeleton {
  /** Skeleton of the name in its own case, in which `I`, `l` and `|` look alike. */
  readonly exact: string;
  /** Skeleton of the name ignoring case, in which `I` and `l` differ: `Ian` is not `Lan`. */
  readonly caseless: string;
}

const require = createRequire(import.meta.url);
let table: Readonly<Record<string, string>> | undefined;

/** Cache of the table's 6,300 characters. ASCII characters stand for themselves, except those that look like an `l`. */
const prototypes = new Map<string, Skeleton>([
  ["I", { exact: "l", caseless: "i" }],
  ["|", { exact: "l", caseless: "l" }],
]);

/**
 * Returns the skeleton of a character. Unicode's table also maps `m` to `rn`, `0` to `O` and `1` to `l`. These stay
 * different here, because Dom and Dorn are both names and channels have numbers; characters that look like an `m` are
 * mapped to `m`.
 */
function prototypeOf(character: string): Skeleton {
  const known = prototypes.get(character);
  if (known) return known;
  table ??= require("unhomoglyph/data.json") as Readonly<Record<string, string>>;
  const listed =
    character > "\x7f" && Object.hasOwn(table, character) ? table[character] : undefined;
  if (listed === undefined) return { exact: character, caseless: character.toLowerCase() };
  const exact = listed.replace("rn", "m").normalize("NFD");
  const upright = /\p{Lu}/u.test(character) ? exact.replace("l", "I") : exact;
  const prototype = { exact, caseless: upright.toLowerCase() };
  prototypes.set(character, prototype);
  return prototype;
}

/** Returns the skeletons of a name, without invisible characters, with single spaces. */
export function skeletonOf(name: string): Skeleton {
  const text = withoutInvisible(name.normalize("NFKC"))
    .replaceAll(/\s+/gu, " ")
    .trim()
    .normalize("NFD");
  let exact = "";
  let caseless = "";
  for (const character of text) {
    const like = prototypeOf(character);
    exact += like.exact;
    caseless += like.caseless;
  }
  return { exact: exact.normalize("NFD"), caseless: caseless.normalize("NFD") };
}

/** Whether two names look alike. */
export function lookAlike(one: Skeleton, other: Skeleton): boolean {
  return one.exact === other.exact || one.caseless === other.caseless;
}
