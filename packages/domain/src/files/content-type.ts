import { isUtf8 } from "node:buffer";
import { whenNeeded } from "@carillon/kit";

/** Loads the content types by extension when first needed: few files come without a type, and the list is 180 KB. */
const loadTypes = whenNeeded(() => import("./types-by-extension.ts"));

/** Maximum characters of a content type. */
const maxLength = 200;

/** Matches `type/subtype` of two tokens, then any parameters in ASCII. */
const wellFormed = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+\s*(?:;[\t\x20-\x7e]*)?$/;

/** How many bytes at the beginning of a file are checked for UTF-8. */
export const sniffedBytes = 32 * 1024;

/**
 * Returns the content type of an uploaded file (files.md §1): the type that the client sent if it is well-formed, else
 * the type of the extension. Adds `charset=utf-8` to plain text if it has no charset and the file begins as valid UTF-8.
 * @param declared the `Content-Type` of the part
 * @param head the first {@link sniffedBytes} of the file
 */
export async function contentTypeOf(
  declared: string | undefined,
  name: string,
  head: Buffer,
): Promise<string> {
  const sent = declared?.trim().toLowerCase() ?? "";
  const type =
    sent.length <= maxLength && wellFormed.test(sent)
      ? sent
      : (await loadTypes()).lookup(name) || "application/octet-stream";
  if (mediaTypeOf(type) !== "text/plain" || /;\s*charset=/.test(type)) return type;
  const withCharset = `${type}; charset=utf-8`;
  return withCharset.length <= maxLength && beginsAsUtf8(head) ? withCharset : type;
}

/** Returns a content type without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim();
}

/** Returns whether bytes are UTF-8. A head of {@link sniffedBytes} may end inside a character. */
function beginsAsUtf8(head: Buffer): boolean {
  const isCut = head.length >= sniffedBytes;
  for (let missing = 0; missing <= (isCut ? 3 : 0); missing++)
    if (isUtf8(head.subarray(0, head.length - missing))) return true;
  return false;
}
