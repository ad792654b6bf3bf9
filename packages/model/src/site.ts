import { createHmac } from "node:crypto";

import { deriveKey, type Environment, sealerOf } from "@carillon/kit";
import type { AddressRules } from "@carillon/outgoing";

import type { IdentityProvider } from "./identity-provider.ts";

/** Properties of the installation; equal in every process. */
export interface Site {
  /** `PUBLIC_URL`: the URL that clients use, without a trailing slash. */
  readonly url: string;
  /** Seals and hashes API keys. */
  readonly secrets: Secrets;
  /** Whether `dev_fetch_api_key` is on. */
  readonly development: boolean;
  /** Whether a push service is configured. */
  readonly pushConfigured: boolean;
  /** Bounds of uploaded files. */
  readonly uploads: UploadLimits;
  /** `TERMS_URL`: the page with terms to which people who join have to agree. */
  readonly termsUrl?: string | undefined;
  /** With which people may sign in; undefined if none is configured. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Whether the browser client is served at `url`. */
  readonly webClient?: boolean | undefined;
  /** Which addresses may be called for members; only globally reachable ones unless given. */
  readonly callable?: AddressRules | undefined;
}

/** Bounds of uploaded files. */
export interface UploadLimits {
  /** Bytes of one file, whole MiB. */
  readonly maxFileSize: number;
  /** Bytes of an organization's uploads, whole MiB; undefined if there is no quota. */
  readonly quota: number | undefined;
}

/** Reads the bounds of uploaded files from the variables. */
export function uploadLimits({
  MAX_FILE_UPLOAD_SIZE_MIB: size,
  UPLOAD_QUOTA_MIB: quota,
}: Pick<Environment, "MAX_FILE_UPLOAD_SIZE_MIB" | "UPLOAD_QUOTA_MIB">): UploadLimits {
  return {
    maxFileSize: size * mebibyte,
    quota: quota === undefined ? undefined : quota * mebibyte,
  };
}

const mebibyte = 1024 * 1024;

/**
 * Protects stored API keys (users.md §6): they are encrypted, because `fetch_api_key` returns the same key again, and
 * found by a keyed digest, so that the database alone reveals no key.
 */
export interface Secrets {
  /** AES-256-GCM: nonce (12 bytes), tag (16), ciphertext. */
  seal(text: string): Uint8Array<ArrayBuffer>;
  /** Decrypts sealed bytes, or throws an Error if they were sealed with another `SECRET_KEY`, or modified. */
  open(sealed: Uint8Array): string;
  /** HMAC-SHA-256, 32 bytes. */
  digest(text: string): Uint8Array<ArrayBuffer>;
}

/** Derives both keys from `SECRET_KEY`, so that neither reveals the other. */
export function secretsOf(secretKey: string): Secrets {
  const sealer = sealerOf(secretKey, "seal");
  const digestKey = deriveKey(secretKey, "digest");
  return {
    seal: (text) => sealer.seal(Buffer.from(text, "utf8")),
    open: (sealed) => Buffer.from(sealer.open(sealed)).toString("utf8"),
    digest: (text) => Uint8Array.from(createHmac("sha256", digestKey).update(text).digest()),
  };
}
