import { Unusable } from "./parameter.ts";

/**
 * JSON for parameters, bounded and strict: in depth, so that no stack is exhausted; in values, so that checking does
 * not block the event loop; no integers written as `5.0` or `1e3`; no text that the database cannot hold. Time is
 * linear in the length of the text.
 */

/** Deeper than any parameter needs, and far below the stack's limit. */
const maxDepth = 64;
/** More than any list of a request may have: checking that many takes 20 ms. */
const maxValues = 20_000;

export interface JsonOptions {
  /** Numbers may have a fraction or an exponent. */
  readonly fractions?: boolean;
  /** Strings may hold U+0000 and lone surrogates; only for values that never reach the database. */
  readonly anyText?: boolean;
}

/**
 * Parses `text` as one JSON value.
 * @throws Unusable if the text is not JSON, or breaks one of the rules above
 */
export function parseStrictJson(text: string, options: JsonOptions = {}): unknown {
  scan(text, options.fractions ?? false);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unusable("must be JSON");
  }
  // Form decoding refuses unstorable characters; only an escape can still contain one.
  if (!options.anyText && text.includes("\\u")) refuseUnstorable(value);
  return value;
}

/** Checks the text outside of strings: the depth, the number of values, and the spelling of numbers. */
function scan(text: string, fractions: boolean): void {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth)
          throw new Unusable(`must not be nested deeper than ${maxDepth} levels`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        if (++values > maxValues) throw new Unusable(`must not hold more than ${maxValues} values`);
        break;
      case 0x2e: // .
      case 0x45: // E
        if (!fractions)
          throw new Unusable(
            "must be JSON with whole numbers, written without fraction or exponent",
          );
        break;
      case 0x65: // e, which true and false have too
        if (!fractions && isDigit(text.charCodeAt(i - 1)))
          throw new Unusable(
            "must be JSON with whole numbers, written without fraction or exponent",
          );
        break;
    }
  }
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** The index of the quote that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = start; ;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

const unstorable = /\0|\p{Surrogate}/u;

/** Whether PostgreSQL refuses the text, because it has U+0000 or a surrogate without its pair. */
export function isUnstorable(text: string): boolean {
  return unstorable.test(text);
}

function refuseUnstorable(root: unknown): void {
  const rest: unknown[] = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === "string") {
      if (isUnstorable(value)) throw new Unusable("must not contain U+0000 or lone surrogates");
    } else if (Array.isArray(value)) {
      for (const item of value) rest.push(item);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) rest.push(key, item);
    }
  }
}
