/** Milliseconds: the event loop may be kept for 20, and other work comes on top. */
const slice = 5;

/** Those who wait for a slice, in the order in which they came. */
const waiting: Array<() => void> = [];

/**
 * Waits until this task may use the processor for the next slice of its work. One task has a slice in a round of the
 * event loop: input and output, timers and all other requests come between the slices of however many tasks.
 */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveSlice);
  });
}

function giveSlice(): void {
  // What the task does now runs before the next round, which an immediate that is set now belongs to.
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(giveSlice);
}

/** `items.map(present)` in slices of a few milliseconds, between which others have their turn. */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  present: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const item of items) {
    if (performance.now() - began > slice) {
      await nextSlice();
      began = performance.now();
    }
    results.push(present(item));
  }
  return results;
}
