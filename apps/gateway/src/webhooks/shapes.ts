import { z } from "zod";

/**
 * A list with a maximum length that is checked before its items: checking 100,000 items takes longer than a request may
 * block the event loop.
 */
export function listOf<Item extends z.ZodType>(item: Item, max: number) {
  return z.array(z.unknown()).max(max).pipe(z.array(item));
}

/** A list of any length, of which only the first items are checked and kept. */
export function firstOf<Item extends z.ZodType>(item: Item, count: number) {
  return z
    .array(z.unknown())
    .transform((all) => all.slice(0, count))
    .pipe(z.array(item));
}

/** A text that is often absent. */
export const maybeText = z.string().nullish();

/** Names with texts, such as labels. */
export const texts = z.record(z.string(), z.string());
