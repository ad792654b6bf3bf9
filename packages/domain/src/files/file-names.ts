import { randomBytes } from "node:crypto";
import { unescape } from "node:querystring";

/** The name of a file that has none of its own. */
const fallback = "uploaded-file";

/** Maximum bytes of a safe name, the limit of common file systems. */
const maxSafeName = 255;

/** Maximum bytes of an extension that survives the cut. */
const maxExtension = 32;

const nameless = new Set(["", ".", ".."]);

/**
 * Returns the name of an uploaded file (files.md §1): percent-decoded once, without folders.
 * @param given the `filename` of its part
 */
export function fileName(given: string): string {
  const decoded = given.includes("%") ? unescape(given) : given;
  const own = decoded.slice(Math.max(decoded.lastIndexOf("/"), decoded.lastIndexOf("\\")) + 1);
  // PostgreSQL stores neither NUL nor halves of surrogate pairs.
  const name = own.replaceAll("\0", "").replaceAll(/\p{Surrogate}/gu, "\ufffd");
  return nameless.has(name) ? fallback : name;
}

/** Returns the name as a part of a path: letters, numbers, `_`, `.` and `-`, at most 255 bytes (files.md §1). */
export function safeName(name: string): string {
  const kept = name
    .normalize("NFKC")
    .replaceAll(/[^\p{L}\p{N}_\s.-]/gu, "")
    .trim()
    .replaceAll(/[\s-]+/g, "-");
  const cut = cutBeforeExtension(kept);
  return nameless.has(cut) ? fallback : cut;
}

/** Shortens a name to {@link maxSafeName} bytes, and keeps its extension. */
function cutBeforeExtension(name: string): string {
  if (Buffer.byteLength(name) <= maxSafeName) return name;
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot) : "";
  const kept = Buffer.byteLength(extension) <= maxExtension ? extension : "";
  const stem = kept === "" ? name : name.slice(0, dot);
  return cutToBytes(stem, maxSafeName - Buffer.byteLength(kept)) + kept;
}

/** Returns the longest beginning of whole characters with at most `limit` bytes of UTF-8. */
function cutToBytes(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Makes the path of a new file below `/user_uploads/` (files.md §1). It cannot be guessed. */
export function newPathId(realmId: number, name: string): string {
  const random = randomBytes(19);
  const folder = random.subarray(18).toString("hex");
  return `${realmId}/${folder}/${random.subarray(0, 18).toString("base64url")}/${safeName(name)}`;
}
