import { loadSodium, randomBytesOf } from "./sodium.ts";

/** Length of a push key: one byte for the kind of encryption, then the key. */
const pushKeyBytes = 33;
const secretboxKind = 0x31;
const nonceBytes = 24;

/**
 * Encrypts a payload for one device (push.md §9): Base64 of a random nonce of 24 bytes and libsodium's secretbox of the
 * JSON. Each device needs its own call, even if devices share a key.
 * @param pushKey 33 bytes, as stored in the device's row
 * @throws RangeError for an invalid key; the message does not contain it
 */
export async function encryptPayload(
  pushKey: Uint8Array,
  payload: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { crypto_secretbox_easy: secretbox } = await loadSodium();
  const nonce = randomBytesOf(nonceBytes);
  const box = secretbox(Buffer.from(JSON.stringify(payload)), nonce, secretKey(pushKey));
  return Buffer.concat([nonce, box]).toString("base64");
}

/**
 * Decrypts a payload, as a device does.
 * @throws Error when the key is wrong or the text was changed
 */
export async function decryptPayload(pushKey: Uint8Array, encryptedData: string): Promise<unknown> {
  const { crypto_secretbox_open_easy: open } = await loadSodium();
  const whole = Buffer.from(encryptedData, "base64");
  const opened = open(
    whole.subarray(nonceBytes),
    whole.subarray(0, nonceBytes),
    secretKey(pushKey),
  );
  return JSON.parse(Buffer.from(opened).toString()) as unknown;
}

function secretKey(pushKey: Uint8Array): Uint8Array {
  if (pushKey.length !== pushKeyBytes || pushKey[0] !== secretboxKind)
    throw new RangeError("a push key has 33 bytes, the first of which is 0x31");
  return pushKey.subarray(1);
}
