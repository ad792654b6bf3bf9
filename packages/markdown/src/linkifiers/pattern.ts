import type { RE2JS } from "re2js";

import { re2 } from "./re2.ts";

/**
 * The program that finds matches of a linkifier, as its first group: after white space or one of `' " ( , : <`, and before
 * no letter or digit. Undefined for a pattern that RE2 does not take.
 */
export function compilePattern(pattern: string): RE2JS | undefined {
  return patternError(pattern) === undefined
    ? re2().compile(`[\\s\\x{85}\\pZ'"(,:<]((?:${pattern}))[^\\pL\\pN]`)
    : undefined;
}

/** What RE2 says of a pattern that it does not take. */
export function patternError(pattern: string): string | undefined {
  const engine = re2();
  try {
    engine.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Characters that stand for themselves, one or more, escaped or not. */
const PLAIN = /^(?:[^\\^$.|?*+()[\]{}]|\\[^\p{L}\p{N}])+/u;

/** What every match of the pattern begins with, as far as that can be seen at a glance; often nothing. */
export function plainBeginning(pattern: string): string {
  const written = pattern.includes("|") ? "" : (PLAIN.exec(pattern)?.[0] ?? "");
  const repeated = "?*{".includes(pattern.charAt(written.length) || " ");
  const plain = Array.from(written.replaceAll(/\\(.)/gsu, "$1"));
  return (repeated ? plain.slice(0, -1) : plain).join("");
}
