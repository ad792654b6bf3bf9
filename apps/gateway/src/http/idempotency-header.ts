import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { errors, type Operation } from "@carillon/contract";
import type { Context } from "koa";

/** A bare key: visible ASCII without quotation marks and commas. */
const bare = /^[\x21\x23-\x2b\x2d-\x7e]{1,255}$/;
/** A key as a string of RFC 8941, in which quotation marks and backslashes are escaped. */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;

/** The response header that tells whether the answer is the stored answer of an earlier request. */
const marker = "Idempotent-Replayed";

/**
 * Reads the header `Idempotency-Key` (once-and-again.md §1): bare, or as a quoted string.
 * @returns undefined for a request without the header
 * @throws ApiError `BAD_REQUEST` for a malformed key, and for two keys
 */
export function readIdempotencyKey(req: IncomingMessage): string | undefined {
  const text = req.headers["idempotency-key"];
  if (typeof text !== "string") return undefined;
  if (isSentTwice(req, text))
    throw errors.badRequest("A request must not have two Idempotency-Keys");
  return parseKey("Idempotency-Key", text);
}

/**
 * Parses the value of a header that identifies a request.
 * @throws ApiError `BAD_REQUEST` that names the header
 */
export function parseKey(header: string, text: string): string {
  if (bare.test(text)) return text;
  const inside = quoted.exec(text)?.[1];
  if (inside !== undefined) return inside.replaceAll(/\\(.)/g, "$1");
  throw errors.badRequest(
    `${header} must be 1 to 255 visible ASCII characters without quotation marks and commas, or a quoted string`,
  );
}

/** Returns whether the header occurs twice. Checks for a comma first, because `headersDistinct` parses all headers again. */
function isSentTwice(req: IncomingMessage, text: string): boolean {
  return text.includes(",") && (req.headersDistinct["idempotency-key"] ?? []).length > 1;
}

/** Sets the response header for a request with a key. */
export function markReplayed(ctx: Context, isReplayed: boolean): void {
  ctx.set(marker, String(isReplayed));
}

/** Returns the id of an account's key for an operation: 128 bits of their SHA-256, as a UUID. */
export function keyId(accountId: number, { method, path }: Operation, key: string): string {
  const digest = hash("sha256", `${accountId} ${method} ${path} ${key}`);
  const part = (from: number, to: number) => digest.slice(from, to);
  return [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-");
}
