import { randomBytes, randomInt, randomUUID } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Generates a secret of letters and digits, for API keys (32 characters) and passwords. */
export function randomKey(length = 32): string {
  let key = "";
  for (let i = 0; i < length; i++) key += alphabet[randomInt(alphabet.length)];
  return key;
}

/** Generates a `SECRET_KEY`: 32 random bytes in hex. */
export function randomSecret(): string {
  return randomBytes(32).toString("hex");
}

/** Generates a request id, or any other name that must not repeat. */
export function uniqueId(): string {
  // The copy is one flat string. Node builds a UUID from fourteen strings, and V8 would keep all of them in memory.
  return Buffer.from(randomUUID(), "latin1").toString("latin1");
}
