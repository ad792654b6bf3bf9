import { randomFillSync } from "node:crypto";

type Sodium = (typeof import("libsodium-wrappers"))["default"];

let loading: Promise<Sodium> | undefined;

/**
 * The library, loaded when it is first needed: 85 ms and 12 MB that a process without a push service does without.
 * Random numbers are Node's: libsodium's own come four bytes at a time out of WebAssembly, 130 µs a nonce.
 */
export function loadSodium(): Promise<Sodium> {
  return (loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  }));
}

async function load(): Promise<Sodium> {
  const { default: sodium } = await import("libsodium-wrappers");
  await sodium.ready;
  return sodium;
}

/** So many random bytes. */
export function randomBytesOf(count: number): Uint8Array {
  return randomFillSync(new Uint8Array(count));
}
