import { createRequire } from "node:module";
import { withoutInvisible } from "@carillon/kit";

/**
 * What two names are compared by (UTS 39): names look alike where they have either in common. Neither says anything by
 * itself, and neither is stored.
 */
export interface Skeleton {
  /** Of the name in its own case, in which `I`, `l` and `|` look alike. */
  readonly exact: string;
  /** Of the name whatever its case, in which `I` and `l` differ: `Ian` is not `Lan`. */
  readonly caseless: string;
}

const require = createRequire(import.meta.url);
let table: Readonly<Record<string, string>> | undefined;

/** What has been looked up so far, of the table's 6,300 characters. ASCII stands for itself, but for what is written like an `l`. */
const prototypes = new Map<string, Skeleton>([
  ["I", { exact: "l", caseless: "i" }],
  ["|", { exact: "l", caseless: "l" }],
]);

/**
 * What a character looks like. Unicode's table takes `m` for `rn`, `0` for `O` and `1` for `l`, too: people are called Dom
 * and Dorn, and channels have numbers, so that those differ here, and what looks like an `m` becomes one.
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

/** What the name looks like, without what cannot be seen, with single spaces. */
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

/** Whether people would take the one name for the other. */
export function lookAlike(one: Skeleton, other: Skeleton): boolean {
  return one.exact === other.exact || one.caseless === other.caseless;
}
