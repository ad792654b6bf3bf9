import { randomFillSync } from "node:crypto";

import { whenNeeded } from "@carillon/kit";

type Sodium = (typeof import("libsodium-wrappers"))["default"];

/**
 * The library, loaded when it is first needed: 85 ms and 12 MB that a process without a push service does without.
 * Random numbers are Node's: libsodium's own come four bytes at a time out of WebAssembly, 130 µs a nonce.
 */
export const loadSodium: () => Promise<Sodium> = whenNeeded(async () => {
  const { default: sodium } = await import("libsodium-wrappers");
  await sodium.ready;
  return sodium;
});

/** So many random bytes. */
export function randomBytesOf(count: number): Uint8Array {
  return randomFillSync(new Uint8Array(count));
}
