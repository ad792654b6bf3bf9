import { setTimeout as pause } from "node:timers/promises";

/** A process is replaced when it has left so many questions in a row without an answer: for 15 s. */
const patience = 3;
const everyMs = 5_000;
/** A process that has not answered yet is starting, for so long. */
const graceMs = 60_000;

export interface WatchOptions {
  /** Resolves when the process answers, whatever it says: one whose database is away is not mended by a new start. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Between two questions, and for an answer, in milliseconds; 5,000 unless given. */
  readonly everyMs?: number;
  /** A monotonic clock in milliseconds by which it knows whether this process ran; `performance.now` unless given. */
  readonly now?: () => number;
}

/**
 * Resolves with true when a process hangs, with false when `signal` ended the watching. Only time in which this process
 * ran counts: after the machine slept, or was too busy to let us ask on time, a missing answer says nothing about the
 * other one.
 */
export async function hangs({
  ask,
  signal,
  everyMs: step = everyMs,
  now = () => performance.now(),
}: WatchOptions): Promise<boolean> {
  const begun = now();
  let answered = false;
  let missed = 0;
  while (!signal.aborted) {
    const asked = now();
    // With a timer that holds it: what `AbortSignal.any` makes of `AbortSignal.timeout` can be collected as garbage
    // before its time is up, and then nobody ever hears of it.
    const question = new AbortController();
    const end = () => question.abort();
    const timer = setTimeout(end, step);
    signal.addEventListener("abort", end, { once: true });
    const well = await Promise.race([
      ask(question.signal).then(
        () => true,
        () => false,
      ),
      aborted(question.signal),
    ]);
    await pause(Math.max(0, step - (now() - asked)), undefined, { signal }).catch(() => {});
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    end();
    const tookMs = now() - asked;
    if (well) {
      answered = true;
      missed = 0;
    } else if (tookMs > 2 * step) missed = 0;
    else if (answered || asked - begun > graceMs) missed++;
    if (missed >= patience && !signal.aborted) return true;
  }
  return false;
}

function aborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(false);
    else signal.addEventListener("abort", () => resolve(false), { once: true });
  });
}
