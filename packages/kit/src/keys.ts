import { randomBytes, randomInt, randomUUID } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A fresh secret of letters and digits, for API keys (32 characters) and passwords. */
export function randomKey(length = 32): string {
  let key = "";
  for (let i = 0; i < length; i++) key += alphabet[randomInt(alphabet.length)];
  return key;
}

/** 32 random bytes in hex: a `SECRET_KEY`. */
export function randomSecret(): string {
  return randomBytes(32).toString("hex");
}

/** A request id, or any other name that must not repeat. */
export function uniqueId(): string {
  // In one piece: Node puts fourteen together, and V8 keeps them all until somebody reads the text.
  return Buffer.from(randomUUID(), "latin1").toString("latin1");
}
