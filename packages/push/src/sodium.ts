import { randomFillSync } from "node:crypto";

import { whenNeeded } from "@carillon/kit";

type Sodium = (typeof import("libsodium-wrappers"))["default"];

/**
 * Loads libsodium at its first use, because loading takes 85 ms and 12 MB, and processes without a push service do not
 * need it. Random bytes come from Node, because libsodium's take 130 µs for a nonce.
 */
export const loadSodium: () => Promise<Sodium> = whenNeeded(async () => {
  const { default: sodium } = await import("libsodium-wrappers");
  await sodium.ready;
  return sodium;
});

/** Returns random bytes. */
export function randomBytesOf(count: number): Uint8Array {
  return randomFillSync(new Uint8Array(count));
}
