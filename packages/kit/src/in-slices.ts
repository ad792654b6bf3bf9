/** Milliseconds per slice: the event loop may be blocked for 20, and other work adds to it. */
const slice = 5;

/** Tasks that wait for a slice, first come, first served. */
const waiting: Array<() => void> = [];

/**
 * Waits for the next slice of this task. Each round of the event loop runs one slice of one task, so that I/O, timers
 * and other requests run between slices, however many tasks there are.
 */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveSlice);
  });
}

function giveSlice(): void {
  // The task runs before the next round of the event loop, where the immediate set here runs.
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(giveSlice);
}

/** Returns `items.map(transform)`, computed in slices of a few milliseconds between which other work runs. */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  transform: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began > slice) {
      await nextSlice();
      began = performance.now();
    }
    results.push(transform(item));
  }
  return results;
}
