import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** A request whose signature is to be verified. */
export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The body as it was received, decompressed. */
  readonly bytes: Uint8Array;
  /** The bot's `webhook_secret`. */
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Returns whether the request was signed with the secret. */
export type SignatureScheme = (request: SignedRequest) => boolean;

/** GitHub: `X-Hub-Signature-256: sha256=` and the HMAC-SHA256 of the body in hexadecimal digits. */
export const githubSignature: SignatureScheme = ({ headers, bytes, secret }) =>
  areEqual(textOf(headers["x-hub-signature-256"]), `sha256=${hmac(secret, bytes)}`);

/** GitLab: `X-Gitlab-Token` is the secret. */
export const gitlabToken: SignatureScheme = ({ headers, secret }) =>
  areEqual(textOf(headers["x-gitlab-token"]), secret);

/** Sentry: `Sentry-Hook-Signature` is the HMAC-SHA256 of the body in hexadecimal digits. */
export const sentrySignature: SignatureScheme = ({ headers, bytes, secret }) =>
  areEqual(textOf(headers["sentry-hook-signature"]), hmac(secret, bytes));

/** Seconds by which the time of a signed request may differ from ours. */
const tolerance = 5 * 60;

/** Standard Webhooks 1.0 (bot-platform.md §1.1): one of several signatures over id, time and body is right. */
export const standardWebhooks: SignatureScheme = ({ headers, bytes, secret, now }) => {
  const id = textOf(headers["webhook-id"]);
  const timestamp = textOf(headers["webhook-timestamp"]);
  if (id === "" || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1_000 - Number(timestamp)) > tolerance) return false;
  const expected = `v1,${createHmac("sha256", keyOf(secret))
    .update(`${id}.${timestamp}.`)
    .update(bytes)
    .digest("base64")}`;
  const given = textOf(headers["webhook-signature"]).split(" ").slice(0, maxSignatures);
  return given.some((signature) => areEqual(signature, expected));
};

/** Maximum signatures that are checked. A sender adds one for each of its valid secrets, which are two or three at a time. */
const maxSignatures = 10;

/** Returns the key of a secret: the Base64 after `whsec_`, or the text itself. */
function keyOf(secret: string): Buffer {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
}

function hmac(secret: string, bytes: Uint8Array): string {
  return createHmac("sha256", secret).update(bytes).digest("hex");
}

function textOf(header: string | string[] | undefined): string {
  return typeof header === "string" ? header : "";
}

/** Compares in a time that depends on neither text: digests have one length. */
function areEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac("sha256", "comparison").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
