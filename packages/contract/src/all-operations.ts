import type { Operation } from "./primitives/operation.ts";
import * as declared from "./operations/declared.ts";

/** Every operation that the gateway serves, sorted by the names of the declarations. */
export const allOperations: readonly Operation[] =
  Object.values<unknown>(declared).filter(isOperation);

/** Returns whether an export of a module is a declaration of an operation. */
export function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "decoders" in value && "supported" in value;
}
