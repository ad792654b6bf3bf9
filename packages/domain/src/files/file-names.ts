import { randomBytes } from "node:crypto";
import { unescape } from "node:querystring";

/** Replaces a name that is empty, `.` or `..`. */
const fallback = "uploaded-file";

/** Maximum bytes of a safe name: the limit of common file systems. */
const maxSafeName = 255;

/** Maximum bytes of an extension that a shortened name keeps. */
const maxExtension = 32;

const nameless = new Set(["", ".", ".."]);

/**
 * Returns the name of an uploaded file (files.md §1): percent-decoded once, without folders.
 * @param given the `filename` of the part
 */
export function fileName(given: string): string {
  const decoded = given.includes("%") ? unescape(given) : given;
  const own = decoded.slice(Math.max(decoded.lastIndexOf("/"), decoded.lastIndexOf("\\")) + 1);
  // PostgreSQL stores neither NUL nor unpaired surrogates.
  const name = own.replaceAll("\0", "").replaceAll(/\p{Surrogate}/gu, "\ufffd");
  return nameless.has(name) ? fallback : name;
}

/** Returns the name as the last part of a path: letters, numbers, `_`, `.` and `-`, at most 255 bytes (files.md §1). */
export function safeName(name: string): string {
  const kept = name
    .normalize("NFKC")
    .replaceAll(/[^\p{L}\p{N}_\s.-]/gu, "")
    .trim()
    .replaceAll(/[\s-]+/g, "-");
  const cut = cutBeforeExtension(kept);
  return nameless.has(cut) ? fallback : cut;
}

/** Shortens a name to {@link maxSafeName} bytes. Keeps an extension of at most {@link maxExtension} bytes. */
function cutBeforeExtension(name: string): string {
  if (Buffer.byteLength(name) <= maxSafeName) return name;
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot) : "";
  const kept = Buffer.byteLength(extension) <= maxExtension ? extension : "";
  const stem = kept === "" ? name : name.slice(0, dot);
  return cutToBytes(stem, maxSafeName - Buffer.byteLength(kept)) + kept;
}

/** Returns the longest prefix with at most `limit` bytes of UTF-8. Splits no character. */
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

/** Creates the path of a new file below `/user_uploads/` (files.md §1), with 144 random bits. */
export function newPathId(realmId: number, name: string): string {
  const random = randomBytes(19);
  const folder = random.subarray(18).toString("hex");
  return `${realmId}/${folder}/${random.subarray(0, 18).toString("base64url")}/${safeName(name)}`;
}
