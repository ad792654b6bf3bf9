import type { Operation } from "@carillon/contract";
import type { Fields } from "./fields.ts";

const none: readonly string[] = [];

/** Returns the names of the request that the operation does not support, ascending by code point. */
export function ignoredParameters(operation: Operation, fields: Fields): readonly string[] {
  let ignored: Set<string> | undefined;
  for (const name of fields.texts.keys()) {
    if (!operation.supported.has(name)) (ignored ??= new Set()).add(name);
  }
  // A file part is never a parameter, even with a supported name. The file of an operation with `takesFile` is not listed.
  for (const name of fields.files) (ignored ??= new Set()).add(name);
  return ignored ? [...ignored].sort(byCodePoint) : none;
}

/** UTF-8 sorts by code point; JavaScript's own order does not beyond U+FFFF. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
