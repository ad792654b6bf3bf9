import type { IncomingMessage } from "node:http";

/** Maximum size of a form: enough for a thousand ids. */
const maxBytes = 32 * 1024;

/** Reads a posted form; undefined if it is too large. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest is read and dropped, so that the client gets the refusal.
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size > maxBytes ? undefined : new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}
