/** A one-time pad of an app: 64 hex digits. */
export const otpShape = /^[0-9a-fA-F]{64}$/;

/**
 * Encrypts an API key for the app that has made the pad, and alone knows it: other apps may register for the phone app's
 * addresses, and histories of browsers keep addresses (people.md §5).
 * @param apiKey 32 ASCII characters
 * @param otp 64 hex digits
 * @returns 64 hex digits
 */
export function encryptedForApp(apiKey: string, otp: string): string {
  const [key, pad] = [Buffer.from(apiKey, "ascii"), Buffer.from(otp, "hex")];
  if (key.length !== pad.length) throw new Error("the key and the pad differ in length");
  return Buffer.from(key.map((byte, i) => byte ^ (pad[i] ?? 0))).toString("hex");
}
