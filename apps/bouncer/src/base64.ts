const strict = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes strict Base64 (push.md §2); undefined for anything else. */
export function fromBase64(text: string): Buffer | undefined {
  if (!strict.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  // The last bits of the last character must be unused.
  return bytes.toString("base64") === text ? bytes : undefined;
}
