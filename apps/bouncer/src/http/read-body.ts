import type { IncomingMessage } from "node:http";
import { refusals } from "./refusal.ts";

/**
 * Reads the body of a request as text.
 * @throws Refusal when it has more than `mostBytes`; the rest is not read
 */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes)
    throw refusals.tooLarge(mostBytes);
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw refusals.badRequest("The body must not be compressed");
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > mostBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw refusals.badRequest("The body did not arrive");
  }
  if (size > mostBytes) throw refusals.tooLarge(mostBytes);
  return Buffer.concat(chunks).toString("utf8");
}

/** Whether the request declares this content type. */
export function hasType(request: IncomingMessage, type: string): boolean {
  const given = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  return given === type;
}
