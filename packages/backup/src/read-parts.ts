import { StartupError } from "@carillon/kit";

/** A line of a backup, a chunk of the rows or bytes after a line, or the end of these. */
export type Part = { line: string } | { rows: Buffer } | { bytes: Buffer } | { end: true };

const newLine = 0x0a;
/** The line after the rows of a table. No row looks like it: backslashes in values are doubled. */
const endOfRows = Buffer.from("\n\\.\n");
/** Far longer than any line of a backup. */
const maxLineLength = 16 * 1024 * 1024;

/**
 * Parses the text of a backup as a stream.
 * @param follows returns what follows a line: rows, a number of bytes with a line break, or the next line
 * @throws StartupError when the text ends in the middle of rows, bytes or a line
 */
export async function* readParts(
  source: AsyncIterable<Buffer>,
  follows: (line: string) => "rows" | "line" | number,
): AsyncGenerator<Part> {
  let rest: Buffer = Buffer.alloc(0);
  let inRows = false;
  /** How many bytes of the current object have not arrived yet; undefined outside of an object's bytes. */
  let missing: number | undefined;
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      if (missing !== undefined) {
        const bytes = rest.subarray(0, missing);
        if (bytes.length > 0) yield { bytes };
        missing -= bytes.length;
        rest = rest.subarray(bytes.length);
        if (missing > 0 || rest.length === 0) break;
        if (rest[0] !== newLine)
          throw new StartupError("the backup is damaged: an object does not end with a line break");
        yield { end: true };
        rest = rest.subarray(1);
        missing = undefined;
        continue;
      }
      const found = rest.indexOf(inRows ? endOfRows : newLine);
      if (inRows) {
        // The line break before the rows is still buffered, so that `endOfRows` also matches when there are no rows.
        const until = found < 0 ? rest.length - endOfRows.length : found;
        if (until > 0) {
          yield { rows: rest.subarray(1, until + 1) };
          rest = rest.subarray(until);
        }
        if (found < 0) break;
        yield { end: true };
        rest = rest.subarray(endOfRows.length);
        inRows = false;
      } else {
        if (found < 0) break;
        const line = rest.toString("utf8", 0, found);
        const next = follows(line);
        inRows = next === "rows";
        if (typeof next === "number") missing = next;
        rest = rest.subarray(inRows ? found : found + 1);
        yield { line };
      }
    }
    if (!inRows && missing === undefined && rest.length > maxLineLength)
      throw new StartupError("this is not a Carillon backup");
  }
  if (inRows || missing !== undefined || rest.length > 0)
    throw new StartupError("the backup is truncated: it ends in the middle");
}
