import type { Operation } from "../primitives/operation.ts";
import { exampleOf } from "./example-of.ts";

/**
 * Returns the value of a parameter in its operation's example, for the OpenAPI document. Returns undefined if the example
 * does not have the parameter, or takes the value from a shell variable.
 */
export function shownExample(operation: Operation, name: string): unknown {
  const { path, params } = exampleOf(operation);
  const value = params[name] ?? path[name];
  const text = JSON.stringify(value ?? name).replaceAll(/[ -]?\$RANDOM/g, "");
  return /\$[A-Z_]+/.test(text) || value === undefined || value === name
    ? undefined
    : (JSON.parse(text) as unknown);
}
