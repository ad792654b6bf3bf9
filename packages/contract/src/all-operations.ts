import type { Operation } from "./operation.ts";
import * as declared from "./operations/declared.ts";

/** Everything that the gateway serves, in the order of the names. */
export const allOperations: readonly Operation[] =
  Object.values<unknown>(declared).filter(isOperation);

/** Tells declarations from whatever else a module exports. */
export function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "decoders" in value && "supported" in value;
}
