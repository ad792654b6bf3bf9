import type { Operation } from "@carillon/contract";

/** What creates a thing: operation, field of its answer, and the text that the field begins with. */
export type Maker = NonNullable<NonNullable<Operation["example"]>["made"]>[string];

/**
 * Returns what the example of an operation has created: a field of the answer, or of the first item of a list in it.
 * @param beginsWith text that is left out at the beginning of the value
 */
export function madeValue(
  answer: object,
  field: string,
  beginsWith = "",
): string | number | undefined {
  const own = (answer as Readonly<Record<string, unknown>>)[field];
  const [item] = Object.values(answer).find(Array.isArray) ?? [];
  const inList =
    item instanceof Object ? (item as Readonly<Record<string, unknown>>)[field] : undefined;
  const [value] = [own ?? inList].flat();
  if (typeof value === "string") return value.slice(beginsWith.length);
  return typeof value === "number" ? value : undefined;
}
