import type { IncomingMessage } from "node:http";

/** Milliseconds in which the rest of a body may come in that nobody wants; without, clients often miss the answer. */
const restMs = 2_000;

/**
 * Bytes of such a rest that are read at most. What a client sends beyond stays in the sockets, so that refusing a body of
 * 25 MB costs no more than taking a small one; a client that sends all of it before it reads then misses the answer.
 */
const mostDiscarded = 4 * 1024 * 1024;

/**
 * Lets a body that nobody reads to its end run out. Left alone, what a decoder had begun to read would stop the
 * connection, and the next request on it would hang.
 * @returns undefined when nothing more of it comes; else resolves when the connection may be closed, which it must be
 */
export function discardBody(req: IncomingMessage): Promise<void> | undefined {
  if (req.readableEnded || req.destroyed) return undefined;
  req.unpipe();
  req.resume();
  if (req.complete) return undefined;
  let discarded = 0;
  req.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > mostDiscarded) req.pause();
  });
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, restMs);
    req.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
