import type { IncomingMessage } from "node:http";

/** More than a thousand ids. */
const maxBytes = 32 * 1024;

/** The fields of a form as browsers post it; undefined when it is too large. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest is read and dropped, so that the refusal reaches the one who sends it.
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size > maxBytes ? undefined : new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}
