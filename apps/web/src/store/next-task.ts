/** Resolves in the next task. It uses no timer, because browsers delay the timers of background tabs. */
export function nextTask(): Promise<void> {
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
