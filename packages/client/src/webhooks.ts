/** Verification of signed requests of the server (Standard Webhooks 1.0), and the types of what they contain. */

export type {
  EventBatch,
  EventPing,
  EventSubscriber,
  EventSubscriptionCall,
  SubscribedEvent,
} from "./event-subscription.ts";
export type {
  OutgoingWebhookAnswer,
  OutgoingWebhookCall,
  OutgoingWebhookMessage,
} from "./outgoing-webhook.ts";

/** A request that must not be trusted. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  /** `missing`: a header is missing or malformed; `time`: too old or too new; `signature`: no signature matches. */
  readonly reason: "missing" | "time" | "signature";

  constructor(reason: WebhookError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The received request. */
export interface WebhookRequest {
  /** The body exactly as received: parsing and writing it again would change its bytes. */
  readonly body: string | Uint8Array;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** How a request is verified. */
export interface WebhookOptions {
  /** The secret, `whsec_…`; several while one replaces another. */
  readonly secret: string | readonly string[];
  /** Seconds by which the sender's clock may differ; 300 unless given. */
  readonly toleranceSeconds?: number;
  /** UNIX milliseconds of now, for tests. */
  readonly now?: number;
}

/** The signed facts about a request whose body is genuine. */
export interface VerifiedWebhook {
  /** The same for every attempt to deliver a request: what was handled under it need not be handled again. */
  readonly id: string;
  /** UNIX seconds at which this attempt was signed. */
  readonly timestamp: number;
}

/**
 * Verifies the signature of a request.
 * @throws WebhookError if it must not be trusted; TypeError if a secret is not one
 */
export async function verifyWebhook(
  request: WebhookRequest,
  options: WebhookOptions,
): Promise<VerifiedWebhook> {
  const secrets = [options.secret].flat().map(keyIn);
  if (secrets.length === 0) throw new TypeError("verifyWebhook needs a secret");
  const id = header(request.headers, "webhook-id");
  const time = header(request.headers, "webhook-timestamp");
  const signatures = header(request.headers, "webhook-signature");
  if (!id || !time || !signatures || !/^\d{1,12}$/.test(time))
    throw new WebhookError(
      "missing",
      "webhook-id, -timestamp or -signature is missing or malformed",
    );
  const timestamp = Number(time);
  const offBy = Math.abs((options.now ?? Date.now()) / 1_000 - timestamp);
  if (offBy > (options.toleranceSeconds ?? 300))
    throw new WebhookError("time", "the request was signed too long ago, or in the future");
  const signed = signedBytes(`${id}.${time}.`, request.body);
  const given = signatures.split(" ").flatMap(signatureIn);
  let matches = false;
  // One computation for each secret, not for each signature: a request may have many.
  for (const secret of secrets) {
    const expected = await hmac(secret, signed);
    for (const signature of given) matches = equal(expected, signature) || matches;
  }
  if (!matches) throw new WebhookError("signature", "no signature of the request is right");
  return { id, timestamp };
}

function header(headers: WebhookRequest["headers"], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const values = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  const [value, ...others] = values.flatMap(([, given]) => given ?? []);
  return others.length === 0 ? value : undefined;
}

function keyIn(secret: string): Uint8Array<ArrayBuffer> {
  const key = bytesOf(secret.replace(/^whsec_/, ""));
  if (!key || key.length === 0) throw new TypeError("secret must be whsec_ and Base64");
  return key;
}

/** Signatures of other versions are none that we know. */
function signatureIn(text: string): Uint8Array[] {
  const bytes = text.startsWith("v1,") ? bytesOf(text.slice(3)) : undefined;
  return bytes ? [bytes] : [];
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function signedBytes(head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [first, second] = [
    encoder.encode(head),
    typeof body === "string" ? encoder.encode(body) : body,
  ];
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

async function hmac(
  secret: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, data));
}

/** Compares in a time that does not depend on where they differ. */
function equal(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (const [at, byte] of a.entries()) difference |= byte ^ (b[at] ?? 0);
  return difference === 0;
}
