import type { RE2JS } from "re2js";

import { re2 } from "./re2.ts";

/**
 * Compiles a linkifier's pattern, so that its first group is the match. A match must come after white space or one of
 * `' " ( , : <`, and before a character that is neither a letter nor a digit.
 * @returns undefined for an invalid pattern
 */
export function compilePattern(pattern: string): RE2JS | undefined {
  return patternError(pattern) === undefined
    ? re2().compile(`[\\s\\x{85}\\pZ'"(,:<]((?:${pattern}))[^\\pL\\pN]`)
    : undefined;
}

/** Returns RE2's error for an invalid pattern. */
export function patternError(pattern: string): string | undefined {
  const engine = re2();
  try {
    engine.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** One or more literal characters, escaped or not. */
const PLAIN = /^(?:[^\\^$.|?*+()[\]{}]|\\[^\p{L}\p{N}])+/u;

/** Returns an obvious literal prefix of every match; often empty. */
export function plainBeginning(pattern: string): string {
  const prefix = pattern.includes("|") ? "" : (PLAIN.exec(pattern)?.[0] ?? "");
  const repeated = "?*{".includes(pattern.charAt(prefix.length) || " ");
  const plain = Array.from(prefix.replaceAll(/\\(.)/gsu, "$1"));
  return (repeated ? plain.slice(0, -1) : plain).join("");
}
