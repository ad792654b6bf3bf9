import { setTimeout as pause } from "node:timers/promises";

/** Unanswered questions in a row after which a process hangs: 15 s. */
const maxMissed = 3;
const everyMs = 5_000;
/** A process may take this long for its first answer. */
const graceMs = 60_000;

export interface WatchOptions {
  /** Resolves when the process gives any answer, including an error: a restart would not repair a lost database. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Milliseconds between two questions, and for an answer; 5,000 unless given. */
  readonly everyMs?: number;
  /** A monotonic clock in milliseconds, which shows whether this process itself ran; `performance.now` unless given. */
  readonly now?: () => number;
}

/**
 * Resolves with true when a process hangs, with false when `signal` is aborted. Counts only time in which this process
 * itself ran: after the machine slept or was overloaded, a missing answer says nothing about the other process.
 */
export async function hangs({
  ask,
  signal,
  everyMs: step = everyMs,
  now = () => performance.now(),
}: WatchOptions): Promise<boolean> {
  const startedAt = now();
  let answered = false;
  let missed = 0;
  while (!signal.aborted) {
    const asked = now();
    // Not `AbortSignal.any` with `AbortSignal.timeout`: its signal can be garbage-collected before the timeout, and then
    // never fires.
    const question = new AbortController();
    const end = () => question.abort();
    const timer = setTimeout(end, step);
    signal.addEventListener("abort", end, { once: true });
    const hasAnswered = await Promise.race([
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
    if (hasAnswered) {
      answered = true;
      missed = 0;
    } else if (tookMs > 2 * step) missed = 0;
    else if (answered || asked - startedAt > graceMs) missed++;
    if (missed >= maxMissed && !signal.aborted) return true;
  }
  return false;
}

function aborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(false);
    else signal.addEventListener("abort", () => resolve(false), { once: true });
  });
}
