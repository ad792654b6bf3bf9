/** What the server hands over after a sign-in at the identity provider. */
export interface HandOver {
  /** The API key, encrypted with the pad. */
  readonly encrypted: string;
  readonly email: string;
  readonly userId: number;
}

/** Makes a one-time pad: 64 hex digits. */
export function makePad(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** Reads what the fragment of an address hands over; undefined if it is the address of a page. */
export function readHandOver(fragment: string): HandOver | undefined {
  const [, query] = /^#signed-in\?(.*)$/s.exec(fragment) ?? [];
  if (query === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  return {
    encrypted: parameters.get("otp_encrypted_api_key") ?? "",
    email: parameters.get("email") ?? "",
    userId: Number(parameters.get("user_id")),
  };
}

/** Decrypts the API key; undefined if it was encrypted with another pad. */
export function decryptKey(encrypted: string, pad: string): string | undefined {
  if (!/^[0-9a-f]{64}$/i.test(encrypted) || !/^[0-9a-f]{64}$/i.test(pad)) return undefined;
  const key = bytesOf(encrypted).map((byte, i) => byte ^ (bytesOf(pad)[i] ?? 0));
  const text = String.fromCharCode(...key);
  return /^[A-Za-z0-9]{32}$/.test(text) ? text : undefined;
}

function bytesOf(hex: string): number[] {
  return (hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16));
}
