import type { IncomingMessage } from "node:http";

/** Milliseconds for which the rest of a refused body is read. Without that, clients often miss the answer. */
const restMs = 2_000;

/**
 * Bytes of the rest that are read. Further bytes stay in the sockets, so that refusing a body of 25 MB costs no more than
 * reading a small one. A client that sends everything before it reads then misses the answer.
 */
const maxDiscarded = 4 * 1024 * 1024;

/**
 * Drains a body that was not read to its end. Otherwise a partly read body would block the connection, and the next
 * request on it would hang.
 * @returns undefined when the body has ended; else a promise that resolves when the caller must close the connection
 */
export function discardBody(req: IncomingMessage): Promise<void> | undefined {
  if (req.readableEnded || req.destroyed) return undefined;
  req.unpipe();
  req.resume();
  if (req.complete) return undefined;
  let discarded = 0;
  req.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscarded) req.pause();
  });
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, restMs);
    req.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
