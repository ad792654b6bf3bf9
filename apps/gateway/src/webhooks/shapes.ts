import * as z from "zod";

/**
 * A list with a maximum length that is checked before its items: checking 100,000 items takes longer than a request may
 * block the event loop.
 */
export function listOf<Item extends z.ZodType>(item: Item, max: number) {
  return z.array(z.unknown()).max(max).pipe(z.array(item));
}

/** A list of any length. Only its first items are checked and kept. */
export function firstOf<Item extends z.ZodType>(item: Item, count: number) {
  return z
    .array(z.unknown())
    .transform((all) => all.slice(0, count))
    .pipe(z.array(item));
}

/** A text that is often absent. */
export const maybeText = z.string().nullish();

/** Names of one object of a payload. */
const maxNames = 200;

/**
 * An object with any names, such as labels: their number is checked before their values, because checking 100,000 takes
 * longer than a request may block the event loop.
 */
export function namesWith<Value extends z.ZodType>(value: Value) {
  return z
    .custom<object>(hasFewNames, `expected an object with at most ${maxNames} names`)
    .pipe(z.record(z.string(), value));
}

function hasFewNames(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  let count = 0;
  for (const _name in value) if (++count > maxNames) return false;
  return true;
}

/** Names with texts, such as labels. */
export const texts = namesWith(z.string());
