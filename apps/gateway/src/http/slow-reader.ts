import { handedOver } from "./handed-over.ts";

/** Milliseconds for which a client may read an answer while others wait for its permit. 40 MB then need 11 Mbit/s. */
const maxReadMs = 30_000;

/**
 * Yields the parts of an answer one by one, for a client that holds a permit while it reads.
 * @throws Error if the client is slow and others wait for the permit; this ends the connection
 */
export async function* cutOffIfOthersWait(
  parts: Buffer[],
  semaphore: { readonly isContended: boolean },
  maxMs = maxReadMs,
): AsyncGenerator<Buffer, void, void> {
  const startedAt = performance.now();
  for await (const part of handedOver(parts)) {
    if (semaphore.isContended && performance.now() - startedAt > maxMs)
      throw new Error("the client reads too slowly while others wait for their large answers");
    yield part;
  }
}
