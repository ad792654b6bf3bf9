/**
 * What a text is the Base64 of (RFC 4648 §4: `+` and `/`, padded): the platform's decoder takes whatever there is.
 * @param length bytes
 * @returns undefined unless it is exactly what so many bytes encode to
 */
export function strictBase64(text: string, length: number): Buffer | undefined {
  if (text.length !== 4 * Math.ceil(length / 3)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === length && bytes.toString("base64") === text ? bytes : undefined;
}
