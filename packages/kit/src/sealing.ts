import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts secrets at rest. */
export interface Sealer {
  /** AES-256-GCM: nonce (12 bytes), tag (16), ciphertext. */
  seal(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
  /**
   * Decrypts.
   * @throws Error when the bytes were sealed with another key, or changed
   */
  open(sealed: Uint8Array): Uint8Array<ArrayBuffer>;
}

/** Derives a key of 32 bytes for one purpose; keys of other purposes cannot be computed from it. */
export function deriveKey(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "carillon", purpose, 32));
}

/** Creates a sealer with a key derived from `SECRET_KEY` for this purpose. */
export function sealerOf(secretKey: string, purpose: string): Sealer {
  const key = deriveKey(secretKey, purpose);
  return {
    seal(bytes) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return Uint8Array.from(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      // Without `authTagLength`, Node also accepts a tag of only four bytes.
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), {
        authTagLength: 16,
      });
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Uint8Array.from(
        Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]),
      );
    },
  };
}
