import type { IncomingMessage } from "node:http";
import { refusals } from "./refusal.ts";

/**
 * Reads the body of a request as text.
 * @throws Refusal when it has more than `maxBytes`; the rest is not read
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw refusals.tooLarge(maxBytes);
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw refusals.badRequest("The body must not be compressed");
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw refusals.badRequest("The body did not arrive");
  }
  if (size > maxBytes) throw refusals.tooLarge(maxBytes);
  return Buffer.concat(chunks).toString("utf8");
}

/** Whether the request declares this content type. */
export function hasType(request: IncomingMessage, type: string): boolean {
  const given = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  return given === type;
}
