import { createHmac } from "node:crypto";

import { deriveKey, sealerOf } from "@carillon/kit";

/** What the rules know of the installation they run in; the same in every process. */
export interface Site {
  /** `PUBLIC_URL`: the address that clients use, without a slash at the end. */
  readonly url: string;
  /** Seals and digests API keys. */
  readonly secrets: Secrets;
  /** Whether `dev_fetch_api_key` is on. */
  readonly development: boolean;
  /** Whether a push service is configured. */
  readonly pushConfigured: boolean;
}

/**
 * API keys at rest (users.md §6): sealed, because `fetch_api_key` hands the same key out again, and
 * findable by a keyed digest, so that the database alone tells nobody's key.
 */
export interface Secrets {
  /** AES-256-GCM: nonce (12 bytes), tag (16), ciphertext. */
  seal(text: string): Uint8Array<ArrayBuffer>;
  /** @throws Error when the bytes were sealed with another `SECRET_KEY`, or changed */
  open(sealed: Uint8Array): string;
  /** HMAC-SHA-256, 32 bytes. */
  digest(text: string): Uint8Array<ArrayBuffer>;
}

/** Both keys are derived from `SECRET_KEY`, so that neither tells the other. */
export function secretsOf(secretKey: string): Secrets {
  const sealer = sealerOf(secretKey, "seal");
  const digestKey = deriveKey(secretKey, "digest");
  return {
    seal: (text) => sealer.seal(Buffer.from(text, "utf8")),
    open: (sealed) => Buffer.from(sealer.open(sealed)).toString("utf8"),
    digest: (text) => Uint8Array.from(createHmac("sha256", digestKey).update(text).digest()),
  };
}
