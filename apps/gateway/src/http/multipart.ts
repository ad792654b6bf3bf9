import { errors } from "@carillon/contract";
import type { FilePart } from "./field-sink.ts";
import type { Fields } from "./fields.ts";
import { sliceBytes, Slices } from "./slices.ts";

/**
 * Decodes a multipart form in memory, in time linear in its size and in slices. koa-body's parser is made for uploads:
 * it spends 1.1 s and 170 MB on one MiB of carriage returns, ends the process at an unknown transfer encoding, writes
 * files to the disk, and treats a text part with a content type as a file.
 */

/** Maximum bytes of the headers of one part. */
export const maxPartHead = 16 * 1024;
/**
 * Maximum bytes of white space and its line end after a delimiter. A delimiter with more counts as data. The limit makes
 * the result independent of the chunks in which a streamed body arrives.
 */
export const maxPadding = 1_024;
/** Maximum characters of a boundary (RFC 2046). The search for a longer one would not be linear. */
const maxBoundary = 70;
const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");

/**
 * Adds the text parts to the fields, and notes the names of the file parts.
 * @param contentType the request's header, which names the boundary
 * @throws ApiError `BAD_REQUEST` if the body is not a complete multipart body, or has too many parts
 */
export async function addMultipart(
  bytes: Buffer,
  contentType: string,
  fields: Fields,
): Promise<void> {
  const slices = new Slices();
  if (bytes.length === 0) return;
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`);
  // The first delimiter may be at the very beginning, without a line end before it.
  const atStart = bytes.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  let next = atStart
    ? afterDelimiter(bytes, delimiter.length - 2)
    : (await findDelimiter(bytes, delimiter, 0, slices))?.after;
  while (next !== "end") {
    if (next === undefined) throw broken("has no end");
    fields.admitPart();
    // A part without headers begins with the empty line itself.
    const begin = next - lineEnd.length;
    const head =
      bytes.subarray(begin, next + maxPartHead + headEnd.length).indexOf(headEnd) + begin;
    if (head < begin) throw broken("has a part without valid headers");
    const data = head + headEnd.length;
    // The line end before the delimiter belongs to it, even when it ends an empty part's head.
    const found = await findDelimiter(bytes, delimiter, data - lineEnd.length, slices);
    if (!found) throw broken("has no end");
    const part = partOf(bytes.toString("utf8", next, head));
    await slices.took(head - next);
    if (part?.file) fields.addFile(part.name);
    else if (part) fields.add(part.name, await slices.textOf(bytes.subarray(data, found.at)));
    next = found.after;
  }
}

/**
 * Returns the boundary that a Content-Type header names.
 * @throws ApiError `BAD_REQUEST` if it names none, or too long a one
 */
export function boundaryOf(contentType: string): string {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined || name.length > maxBoundary) throw broken("has no valid boundary");
  return name;
}

/**
 * Returns where the part after a delimiter begins; "end" after the last delimiter.
 * @param at the position after the bytes that look like a delimiter
 * @returns undefined if they are not a delimiter
 */
export function afterDelimiter(bytes: Buffer, at: number): number | "end" | undefined {
  if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return "end";
  const last = at + maxPadding - lineEnd.length;
  while (at < last && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + lineEnd.length : undefined;
}

async function findDelimiter(bytes: Buffer, delimiter: Buffer, from: number, slices: Slices) {
  // Slices overlap, so that none cuts a delimiter in two.
  for (let begin = from; begin < bytes.length; begin += sliceBytes) {
    const slice = bytes.subarray(begin, begin + sliceBytes + delimiter.length - 1);
    for (let at = slice.indexOf(delimiter); at >= 0; at = slice.indexOf(delimiter, at + 1)) {
      const after = afterDelimiter(bytes, begin + at + delimiter.length);
      if (after !== undefined) {
        await slices.took(at);
        return { at: begin + at, after };
      }
    }
    await slices.took(slice.length);
  }
  return undefined;
}

// Not `.` between `^` and `$`: names may have U+2028 and U+2029, at which these end a line.
const dispositionLine = /(?:^|[\r\n])content-disposition:\s*form-data([^\r\n]*)/i;
const contentTypeLine = /(?:^|[\r\n])content-type:\s*([^\r\n]*)/i;

/** Reads the head of a part; undefined for a part without a name that is not a file. Lines may be folded (RFC 2046). */
export function partOf(folded: string): { name: string; file: FilePart | undefined } | undefined {
  const head = folded.replaceAll(/\r\n[ \t]+/g, " ");
  const disposition = dispositionLine.exec(head)?.[1] ?? "";
  const name = parameter(disposition, /;\s*name=(?:"((?:[^"\\]|\\[^])*)"|([^;\s"]+))/i) ?? "";
  if (!/;\s*filename\*?=/i.test(disposition))
    return name === "" ? undefined : { name, file: undefined };
  // The last pattern is for clients that do not escape a backslash at the end of a name.
  const filename =
    extendedFilename(disposition) ||
    parameter(disposition, /;\s*filename=(?:"((?:[^"\\]|\\[^])*)"|([^;\s"]+))/i) ||
    parameter(disposition, /;\s*filename=(?:"([^"]*)")/i) ||
    "";
  const contentType = contentTypeLine.exec(head)?.[1];
  return { name, file: { name, filename, contentType } };
}

/** Reads `filename*` (RFC 5987): UTF-8 or ISO 8859-1 in percent escapes. It takes precedence over `filename`. */
function extendedFilename(disposition: string): string | undefined {
  const match = /;\s*filename\*=(utf-8|iso-8859-1)'[^';\s]*'([^;\s"]*)/i.exec(disposition);
  if (!match) return undefined;
  const [, charset = "", escaped = ""] = match;
  const bytes = escaped.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString(/^utf/i.test(charset) ? "utf8" : "latin1");
}

/** Returns a parameter of the header. Clients write a quote in a name as `\"` or `%22`, and a line end as `%0D%0A`. */
function parameter(disposition: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(disposition);
  if (match?.[1] === undefined) return match?.[2];
  return match[1]
    .replaceAll(/\\(["\\])/g, "$1")
    .replaceAll(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Returns the error for an invalid body. @param what continues the sentence that begins with "The multipart body" */
export function broken(what: string) {
  return errors.badRequest(`The multipart body ${what}`);
}
