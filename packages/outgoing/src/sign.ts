import { createHmac, randomBytes } from "node:crypto";

/** What begins a signing secret of Standard Webhooks. */
const prefix = "whsec_";

/** Generates a signing secret: 32 random bytes. */
export function newSigningSecret(): string {
  return prefix + randomBytes(32).toString("base64");
}

/** A request to be signed. */
export interface SignedRequest {
  /** The same for every attempt. */
  readonly id: string;
  /** UNIX seconds of the attempt. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/**
 * Returns the headers by which a receiver verifies a request (bot-platform.md §2.3, Standard Webhooks 1.0).
 * @param secrets the live secrets, newest first, each as {@link newSigningSecret} makes them
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: SignedRequest,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    const signed = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
    return `v1,${signed.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
