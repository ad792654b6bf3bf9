/**
 * Returns whether `If-None-Match` names the tag, by weak comparison (RFC 9110 §13.1.2).
 * @param header empty if the request has no such header
 */
export function namesTag(header: string, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return header.split(",").some((one) => one.trim() === "*" || opaque(one) === opaque(tag));
}
