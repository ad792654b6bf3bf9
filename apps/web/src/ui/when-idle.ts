import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Tasks of one idle period: together they take about a millisecond. */
const atOnce = 4;
/** Milliseconds after which tasks are run even if the browser is never idle. */
const longestWaitMs = 1_000;

const waiting = new Set<() => void>();
let isScheduled = false;

/**
 * Returns false at first, and true once the browser has had nothing else to do. Parts of a row that nobody needs while the
 * list is being scrolled are drawn by it.
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

/** @returns a function that withdraws the task */
function whenIdle(task: () => void): () => void {
  waiting.add(task);
  schedule();
  return () => waiting.delete(task);
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  // Safari has no requestIdleCallback.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(run, { timeout: longestWaitMs });
  else setTimeout(run, 100);
}

function run(): void {
  isScheduled = false;
  let count = 0;
  for (const task of waiting) {
    waiting.delete(task);
    task();
    if (++count === atOnce) break;
  }
  if (waiting.size > 0) schedule();
}
