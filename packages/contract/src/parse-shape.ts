import { z } from "zod";
import { Unusable } from "./parameter.ts";

/** A list of more items is looked at item by item first. */
const manyItems = 100;

/**
 * The value as the schema has it.
 * @throws Unusable with the first thing that is wrong with it; nothing after that is looked at where it lies in a long
 * list, since zod would say of each of 20,000 items what is wrong with it, which takes 200 ms
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
