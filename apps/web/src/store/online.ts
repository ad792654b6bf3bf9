/** Waits ten seconds, or until the browser notices a network, or the signal is aborted. */
export function whenOnline(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, 10_000);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
