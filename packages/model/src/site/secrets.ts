import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

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
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", secretKey, "carillon", purpose, 32));
  const sealingKey = derive("seal");
  const digestKey = derive("digest");
  return {
    seal(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce);
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Uint8Array.from(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv("aes-256-gcm", sealingKey, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString(
        "utf8",
      );
    },
    digest(text) {
      return Uint8Array.from(createHmac("sha256", digestKey).update(text).digest());
    },
  };
}
