import * as z from "zod";
import { Unusable } from "./parameter.ts";

/** Longer lists are first checked item by item. */
const manyItems = 100;

/**
 * Parses a value with a schema.
 * @throws Unusable with the first fault; in a long list nothing after it is checked, because zod takes 200 ms to report
 *   the faults of 20,000 items
 */
export function parseShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  if (schema instanceof z.ZodArray && Array.isArray(value) && value.length > manyItems)
    for (const [at, item] of value.entries()) {
      const { error } = z.safeParse(schema.element, item);
      if (error) throw unusable(error, [at]);
    }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw unusable(parsed.error, []);
}

function unusable({ issues: [issue] }: z.core.$ZodError, at: readonly PropertyKey[]): Unusable {
  const path = [...at, ...(issue?.path ?? [])];
  const where = path.length > 0 ? ` (at ${path.join(".")})` : "";
  return new Unusable(`is not usable: ${issue?.message ?? "wrong shape"}${where}`);
}
