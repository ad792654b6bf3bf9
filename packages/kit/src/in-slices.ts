import { setImmediate } from "node:timers/promises";

/** Milliseconds: the event loop may be kept for 20, and other work comes on top. */
const slice = 5;

/** `items.map(present)`, which lets other requests have their turn every few milliseconds. */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  present: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began > slice) {
      await setImmediate();
      began = performance.now();
    }
    results.push(present(item));
  }
  return results;
}
