import type { Linkifier } from "@carillon/markdown";

const of = (patterns: readonly string[]): Linkifier[] =>
  patterns.map((pattern) => ({ pattern, urlTemplate: "/x" }));

const some = (count: number, pattern: (n: number) => string) =>
  of(Array.from({ length: count }, (_, n) => pattern(n)));

/** Sets of linkifiers that match or nearly match often, each set within the limits of an organization. */
export const costlyLinkifiers: Readonly<Record<string, readonly Linkifier[]>> = {
  "100 of ordinary kinds": some(100, (n) => `${"#MD"[n % 3]}${n}-[0-9]+`),
  "30 that differ in case": some(30, (n) => `(?i)issue ${n}\\b`),
  "one with a repetition of 160": of([".{1,160}[y-z]"]),
  "five without a state in common": of([
    ".*a.{20}[y-z]",
    "(.*a.{20}|.*b.{25}|.* .{30})[y-z]",
    "((a|b| )*(a|b|.)*){9}[y-z]",
    "[^ ]+",
    "(?i)(\\w|\\pL| )*k.{30}[^a-z]",
  ]),
  everything: of(["(?s).+", ".*", "[a-z]", "\\S+ \\S+"]),
};

/** Returns texts with many positions at which a link may begin, by name. */
export function linkifiedTexts(length: number): Readonly<Record<string, string>> {
  let state = 7;
  const letter = (letters: string) => {
    state = (state * 48_271) % 2_147_483_647;
    return letters.charAt(state % letters.length);
  };
  const random = (letters: string) => Array.from({ length }, () => letter(letters)).join("");
  return {
    "three letters at random": random("ab "),
    numbers: "#1-2 ".repeat(length / 5),
    "one word": "a".repeat(length),
    words: "a ".repeat(length / 2),
    commas: "x,".repeat(length / 2),
    "all signs at random": random(" abcdefghijklmnopqrstuvwxyz#M-0123456789,.:(ÄßΩЖ"),
    lines: "issue 7 K#\n".repeat(length / 11),
  };
}
