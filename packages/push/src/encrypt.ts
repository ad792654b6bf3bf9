import { loadSodium, randomBytesOf } from "./sodium.ts";

/** A push key: which kind of encryption, and then the key itself. */
const pushKeyBytes = 33;
const secretboxKind = 0x31;
const nonceBytes = 24;

/**
 * Encrypts what one device is told (push.md §9): Base64 of 24 fresh random bytes and libsodium's secretbox of the JSON.
 * Each device needs a call of its own, also where they share a key.
 * @param pushKey 33 bytes, as the device's row has them
 * @throws RangeError for a key that is none; nothing of it is in the message
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
 * The reverse, what a device does.
 * @throws Error where the key is another one or the text was changed
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
