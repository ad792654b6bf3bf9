/** Maximum items of one slice. */
const most = 100;

/**
 * Gives the items of a source in slices, each in a task of its own. Thousands of events that arrive in one answer would
 * otherwise be taken one by one without a pause, and the page would not respond.
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
        // Later items do not depend on it.
        reportError(error);
      }
    }
    taking = undefined;
  };
  for await (const item of source) {
    waiting.push(item);
    taking ??= takeAll();
  }
  await taking;
}

/** Resolves in the next task. Not by a timer: browsers delay those of pages in the background. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const done = () => {
      port1.close();
      resolve();
    };
    port1.addEventListener("message", done);
    port1.start();
    port2.postMessage(undefined);
  });
}
