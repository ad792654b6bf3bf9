import type { Operation } from "../primitives/operation.ts";
import type { JsonSchema } from "../primitives/parameter.ts";
import { demoValues } from "./demo-values.ts";
import type { Caller, Example } from "../primitives/example.ts";

/** An example with everything that follows from the declaration. */
export interface WholeExample {
  /** Undefined if no credentials are read. */
  readonly as: Caller | undefined;
  readonly path: Readonly<Record<string, string | number>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly made: Readonly<Required<Example>["made"]>;
  readonly file: Example["file"];
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: string | undefined;
  readonly showsHeaders: boolean;
}

const callers: Readonly<Record<Operation["access"], Caller | undefined>> = {
  anyone: undefined,
  account: "member",
  human: "member",
  bot: "bot",
  "non-guest": "member",
  administrator: "owner",
  owner: "owner",
};

/**
 * Completes the example of an operation: required parameters get the demo's values, unless the declaration gives
 * others.
 */
export function exampleOf(operation: Operation): WholeExample {
  const { example = {}, access } = operation;
  const valueOf = (name: string, schema: JsonSchema): unknown => {
    const value = demoValues[name] ?? firstOf(schema);
    // Declarations in tests need no values; a test runs the examples of all real operations.
    return value ?? name;
  };
  const path = operation.pathDecoders.map(({ name, parameter }) => [
    name,
    example.path?.[name] ?? valueOf(name, parameter.schema),
  ]);
  const required = operation.decoders
    .filter(
      ({ name, parameter }) => parameter.presence.required && !(name in (example.params ?? {})),
    )
    .map(({ name, parameter }) => [name, valueOf(name, parameter.codec.schema)]);
  return {
    as: example.as ?? callers[access],
    path: Object.fromEntries(path) as WholeExample["path"],
    params: { ...Object.fromEntries(required), ...example.params },
    made: example.made ?? {},
    file: example.file,
    headers: example.headers ?? {},
    bytes: example.bytes,
    showsHeaders: example.showsHeaders ?? false,
  };
}

/** Returns the first value that a schema lists. */
function firstOf({ enum: values, type }: JsonSchema): unknown {
  return Array.isArray(values) ? values[0] : type === "boolean" ? true : undefined;
}
