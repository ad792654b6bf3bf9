import { unescape } from "node:querystring";
import { knowableId, maxId } from "./ids.ts";
import type { JsonSchema } from "./parameter.ts";
import { isUnstorable } from "./strict-json.ts";

/**
 * The parameters of a path. A text that does not fit does not match the route, so that the answer is 404
 * (or another route's). Each is percent-decoded exactly once.
 */
export interface PathParameter<T> {
  /** What the router distinguishes, the most specific first: digits, one segment, all remaining segments. */
  readonly kind: "int" | "text" | "rest";
  /** Decodes a matched part of the path; `undefined` when it cannot name anything. */
  readonly decode: (part: string) => T | undefined;
  readonly schema: JsonSchema;
}

export const path = { int, text, rest, key };

/**
 * Decimal digits. A number above `max` becomes 0, which is never used; `max` is that of `integer` columns unless given.
 */
function int(options: { max?: number } = {}): PathParameter<number> {
  const max = options.max ?? maxId;
  return {
    kind: "int",
    decode: (part) => knowableId(Number(part), max),
    schema: { type: "integer", minimum: 0 },
  };
}

/** One segment. */
function text(): PathParameter<string> {
  return { kind: "text", decode: percentDecoded, schema: someText };
}

/** The secret of a mailed link: one segment of at most 100 letters and digits. */
function key(): PathParameter<string> {
  return {
    kind: "text",
    decode: (part) => (/^[A-Za-z0-9]{1,100}$/.test(part) ? part : undefined),
    schema: { type: "string", pattern: "^[A-Za-z0-9]+$", minLength: 1, maxLength: 100 },
  };
}

/**
 * One or more segments up to the end of the path; an escaped slash equals a plain one.
 * @param options `anyText`: a text that PostgreSQL cannot store names nothing, instead of not matching the route
 */
function rest(options: { anyText?: boolean } = {}): PathParameter<string> {
  const decode = (part: string) => percentDecoded(part) ?? (options.anyText ? "" : undefined);
  return { kind: "rest", decode, schema: someText };
}

const someText = { type: "string", minLength: 1 };

/** Like form decoding, invalid escapes stay as they are and invalid UTF-8 is replaced; here a plus sign is a plus sign. */
function percentDecoded(part: string): string | undefined {
  const decoded = part.includes("%") ? unescape(part) : part;
  return isUnstorable(decoded) ? undefined : decoded;
}
