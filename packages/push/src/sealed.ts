import { loadSodium } from "./sodium.ts";

/** A bouncer's key pair, 32 bytes each (X25519): devices encrypt their registrations with the public one. */
export interface BouncerKeys {
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
}

/** Generates a key pair for a bouncer. */
export async function newBouncerKeys(): Promise<BouncerKeys> {
  const { publicKey, privateKey } = (await loadSodium()).crypto_box_keypair();
  return { publicKey, privateKey };
}

/** Encrypts for the holder of the private key (libsodium's sealed box), as a device does with its registration. */
export async function seal(publicKey: Uint8Array, content: Uint8Array): Promise<Uint8Array> {
  return (await loadSodium()).crypto_box_seal(content, publicKey);
}

/** Decrypts a sealed box; undefined if it is malformed or for another key. */
export async function openSealed(
  { publicKey, privateKey }: BouncerKeys,
  sealed: Uint8Array,
): Promise<Uint8Array | undefined> {
  const sodium = await loadSodium();
  try {
    return sodium.crypto_box_seal_open(sealed, publicKey, privateKey);
  } catch {
    return undefined;
  }
}
