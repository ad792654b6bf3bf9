import type { Signal } from "@preact/signals";
import type { Connection } from "./connection.ts";

/**
 * Waits ten seconds. Ends earlier when the browser goes online, when the signal is aborted, or when a connection that was not
 * live becomes live.
 */
export function whenOnline(connection: Signal<Connection>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wasLive = connection.peek() === "live";
    let unsubscribe = () => {};
    const done = () => {
      clearTimeout(timer);
      unsubscribe();
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, 10_000);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
    if (!wasLive) unsubscribe = connection.subscribe((value) => value === "live" && done());
  });
}
