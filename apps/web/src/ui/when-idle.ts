import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Tasks of one idle period: together they take about a millisecond. */
const atOnce = 4;
/** Milliseconds before tasks are run: rows that are scrolled past are gone sooner, and withdraw theirs. */
const leastWaitMs = 150;
/** Milliseconds after which tasks are run even if the browser is never idle. */
const longestWaitMs = 1_000;

const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

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
    task();
    if (++count === atOnce) break;
  }
  if (waiting.size > 0) request();
  else timer = undefined;
}
