/**
 * Decodes Base64 strictly (RFC 4648 §4: `+` and `/`, padded); Node's decoder accepts any text.
 * @param length number of decoded bytes
 * @returns undefined unless the text is the exact encoding of `length` bytes
 */
export function strictBase64(text: string, length: number): Buffer | undefined {
  if (text.length !== 4 * Math.ceil(length / 3)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === length && bytes.toString("base64") === text ? bytes : undefined;
}
