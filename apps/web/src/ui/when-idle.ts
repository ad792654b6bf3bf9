import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Maximum tasks of one idle period; together they take about a millisecond. */
const atOnce = 4;
/** Milliseconds before the first task runs. Rows that are scrolled past disappear sooner and cancel their tasks. */
const leastWaitMs = 150;
/** Milliseconds after which tasks run even if the browser is never idle. */
const longestWaitMs = 1_000;

const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Returns false at first, and true once the browser was idle. A row uses it to draw the parts that are not needed during
 * scrolling.
 */
export function useWhenIdle(): boolean {
  const isTime = useSignal(false);
  useEffect(
    () =>
      whenIdle(() => {
        isTime.value = true;
      }),
    [],
  );
  return isTime.value;
}

/** Queues a task for an idle period. @returns a function that cancels the task */
export function whenIdle(task: () => void): () => void {
  waiting.add(task);
  timer ??= setTimeout(request, leastWaitMs);
  return () => waiting.delete(task);
}

function request(): void {
  // Safari has no requestIdleCallback.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(run, { timeout: longestWaitMs });
  else setTimeout(run);
}

function run(): void {
  let count = 0;
  for (const task of waiting) {
    waiting.delete(task);
    try {
      task();
    } catch (error) {
      // The other tasks do not depend on this one.
      reportError(error);
    }
    if (++count === atOnce) break;
  }
  if (waiting.size > 0) request();
  else timer = undefined;
}
