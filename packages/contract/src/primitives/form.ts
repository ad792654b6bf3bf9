import type * as z from "zod";
import { overBound, type ItemLimit } from "./bounds.ts";
import { knowableId, maxId } from "./ids.ts";
import { schemaOf } from "./json-schema.ts";
import { parseShape } from "./parse-shape.ts";
import { Parameter, Unusable, type Codec, type JsonSchema, type TextReader } from "./parameter.ts";
import { parseStrictJson, isUnstorable, type JsonOptions } from "./strict-json.ts";

/**
 * The types of request parameters (http-contract.md §5): strict, without any conversion between JSON types.
 */
export const form = {
  text,
  oneOf,
  oneOfOrJson,
  bool,
  boolOr,
  int,
  intOr,
  id,
  json,
  streamed,
  custom,
};

/**
 * A string: the text itself, never JSON-decoded. U+0000, which no column can hold, is refused, unless `anyText` leaves
 * the check to an action that may ignore the parameter.
 */
function text(options: { anyText?: boolean; maxLength?: number } = {}): Parameter<string> {
  return new Parameter({
    ...(options.maxLength !== undefined && { maxLength: options.maxLength }),
    decode(value) {
      if (!options.anyText && isUnstorable(value)) throw new Unusable("must not contain U+0000");
      return value;
    },
    schema: { type: "string" },
    json: false,
  });
}

/** Exactly one of the listed strings, case-sensitive. */
function oneOf<const Values extends readonly [string, ...string[]]>(
  ...values: Values
): Parameter<Values[number]> {
  return new Parameter({
    decode: (given) => listed(values, given) ?? refuse(`must be ${orList(values)}`),
    schema: { type: "string", enum: values },
    json: false,
  });
}

/** Like `oneOf`, also written as a JSON string: some clients send it quoted. */
function oneOfOrJson<const Values extends readonly [string, ...string[]]>(
  ...values: Values
): Parameter<Values[number]> {
  return new Parameter({
    decode: (given) => listedOrJson(values, given) ?? refuse(`must be ${orList(values)}`),
    schema: { type: "string", enum: values },
    json: false,
  });
}

/** `true` or `false`, nothing else. */
function bool(): Parameter<boolean> {
  return new Parameter({
    decode: (given) => boolean(given) ?? refuse("must be true or false"),
    schema: { type: "boolean" },
    json: false,
  });
}

/** `true`, `false`, or one of the listed strings, bare or as a JSON string. */
function boolOr<const Values extends readonly [string, ...string[]]>(
  ...values: Values
): Parameter<boolean | Values[number]> {
  return new Parameter({
    decode: (given) =>
      boolean(given) ??
      listedOrJson(values, given) ??
      refuse(`must be ${orList(["true", "false", ...values])}`),
    schema: { oneOf: [{ type: "boolean" }, { type: "string", enum: values }] },
    json: false,
  });
}

/** Range of an integer, both ends included. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** Default bound of integers: anchors need up to 10^16. It is exact as a double and fits a `bigint` column. */
const widest = 10_000_000_000_000_000;

/** A JSON integer within the range, which is ±10^16 unless given. */
function int(range: Range = {}): Parameter<number> {
  return new Parameter(integerCodec(range));
}

/** A JSON integer within the range, or one of the listed strings, bare or as a JSON string. */
function intOr<const Values extends readonly [string, ...string[]]>(
  values: Values,
  range: Range = {},
): Parameter<number | Values[number]> {
  const integers = integerCodec(range);
  return new Parameter<number | Values[number]>({
    decode(given) {
      const word = listedOrJson(values, given);
      if (word !== undefined) return word;
      if (!integerText.test(given)) throw new Unusable(`must be an integer or ${orList(values)}`);
      return integers.decode(given);
    },
    schema: { oneOf: [integers.schema, { type: "string", enum: values }] },
    json: false,
  });
}

/** An ID: a JSON integer. A number that no column can hold becomes 0, which is the ID of no row. */
function id(options: { max?: number } = {}): Parameter<number> {
  const max = options.max ?? maxId;
  return new Parameter({
    decode: (given) => knowableId(integer(given), max),
    schema: { type: "integer" },
    json: false,
  });
}

/**
 * A JSON value of the given shape; numbers in it are whole unless `fractions` is set. The schema must not coerce: a
 * string is not an integer, `true` is not an integer. A list longer than `maxItems` is refused before its items are
 * checked.
 */
function json<Schema extends z.ZodType>(
  schema: Schema,
  options: JsonOptions & { readonly maxItems?: ItemLimit } = {},
): Parameter<z.output<Schema>> {
  return new Parameter({
    decode(given) {
      const value = parseStrictJson(given, options);
      const tooMany = overBound(value, options.maxItems);
      if (tooMany) throw new Unusable(tooMany);
      return parseShape(schema, value);
    },
    // For documents only.
    get schema() {
      return schemaOf(schema, "input");
    },
    json: true,
  });
}

/**
 * JSON of any length up to the operation's body limit. It is read as a stream: neither its text nor its value needs to
 * be in memory as a whole. The reader makes the checks that `json` makes for other parameters.
 */
function streamed<T>(reader: () => TextReader<T>, schema: JsonSchema): Parameter<T> {
  return new Parameter({
    decode(given) {
      const own = reader();
      own.write(given);
      return own.end();
    },
    schema,
    json: true,
    reader,
  });
}

/** A custom codec, for parameters that are accepted in several forms. It throws `Unusable` to refuse a text. */
function custom<T>(codec: Codec<T>): Parameter<T> {
  return new Parameter(codec);
}

const integerText = /^[ \t\n\r]*-?(?:0|[1-9][0-9]*)[ \t\n\r]*$/;

function integer(given: string): number {
  if (!integerText.test(given)) throw new Unusable("must be an integer");
  // Adding 0 makes -0 an ordinary 0.
  return Number(given) + 0;
}

function integerCodec(range: Range): Codec<number> {
  const min = range.min ?? -widest;
  const max = range.max ?? widest;
  return {
    decode(given) {
      const value = integer(given);
      if (value < min) throw new Unusable(`must be at least ${min}`);
      if (value > max) throw new Unusable(`must be at most ${max}`);
      return value;
    },
    schema: {
      type: "integer",
      ...(range.min === undefined ? {} : { minimum: range.min }),
      ...(range.max === undefined ? {} : { maximum: range.max }),
    },
    json: false,
  };
}

function boolean(given: string): boolean | undefined {
  return given === "true" ? true : given === "false" ? false : undefined;
}

function listed<Value extends string>(values: readonly Value[], given: string): Value | undefined {
  return values.find((value) => value === given);
}

function listedOrJson<Value extends string>(
  values: readonly Value[],
  given: string,
): Value | undefined {
  return (
    values.find((value) => value === given) ??
    values.find((value) => JSON.stringify(value) === given.trim())
  );
}

function refuse(why: string): never {
  throw new Unusable(why);
}

function orList(values: readonly string[]): string {
  return values.length === 1
    ? String(values[0])
    : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}
