import type { ChildProcess } from "node:child_process";

/** Milliseconds for which the process is stopped, and then runs. */
const everyMs = 20;

/**
 * Stops a process half of the time, as if it had half of a processor.
 * @returns a function that ends this
 */
export function halve(process: ChildProcess): () => void {
  let stopped = false;
  const timer = setInterval(() => {
    stopped = !stopped;
    process.kill(stopped ? "SIGSTOP" : "SIGCONT");
  }, everyMs);
  return () => {
    clearInterval(timer);
    process.kill("SIGCONT");
  };
}
