import { nextTask } from "./next-task.ts";

/** Maximum items of one slice. */
const most = 100;

/**
 * Passes the items of a source to `take` in slices, each in its own task. Otherwise thousands of events in one answer would
 * be applied without a pause, and the page would not respond meanwhile.
 * @param take called with one or more items, in order
 */
export async function inSlices<T>(
  source: AsyncIterable<T>,
  take: (items: readonly T[]) => void,
): Promise<void> {
  let waiting: T[] = [];
  let taking: Promise<void> | undefined;
  const takeAll = async () => {
    while (waiting.length > 0) {
      await nextTask();
      const slice = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        take(slice);
      } catch (error) {
        // The next slices do not depend on this one.
        reportError(error);
      }
    }
    taking = undefined;
  };
  try {
    for await (const item of source) {
      waiting.push(item);
      taking ??= takeAll();
    }
  } finally {
    await taking;
  }
}
