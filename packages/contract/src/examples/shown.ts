import type { Operation } from "../primitives/operation.ts";
import { exampleOf } from "./example-of.ts";

/**
 * Returns the value of a parameter in the example of its operation, for a document: undefined if it has none, or
 * if a shell fills it in.
 */
export function shownExample(operation: Operation, name: string): unknown {
  const { path, params } = exampleOf(operation);
  const value = params[name] ?? path[name];
  const text = JSON.stringify(value ?? name).replaceAll(/[ -]?\$RANDOM/g, "");
  return /\$[A-Z_]+/.test(text) || value === undefined || value === name
    ? undefined
    : (JSON.parse(text) as unknown);
}
