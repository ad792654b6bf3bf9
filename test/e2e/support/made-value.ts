import type { Operation } from "@carillon/contract";

/** What creates a thing: operation, field of its answer, and the text that the field begins with. */
export type Maker = NonNullable<NonNullable<Operation["example"]>["made"]>[string];

/**
 * Returns what the example of an operation has created: a field of the answer, of an object in it, or of the first item of
 * a list in it.
 * @param beginsWith text that is left out at the beginning of the value
 */
export function madeValue(
  answer: object,
  field: string,
  beginsWith = "",
): string | number | undefined {
  const parts = Object.values(answer);
  const list = parts.find(Array.isArray) as readonly unknown[] | undefined;
  const inside = [list?.[0], parts.find(isObject)].filter(isObject);
  const [value] = [answer as Readonly<Record<string, unknown>>, ...inside]
    .map((object) => object[field])
    .filter((found) => found !== undefined)
    .flat();
  if (typeof value === "string") return value.slice(beginsWith.length);
  return typeof value === "number" ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
