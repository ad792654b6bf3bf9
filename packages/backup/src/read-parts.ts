import { StartupError } from "@carillon/kit";

/** A line of a backup, a chunk of rows after a COPY line, or the end of these rows. */
export type Part = { line: string } | { rows: Buffer } | { end: true };

const newLine = 0x0a;
/** The line after the rows of a table. No row looks like it: backslashes in values are doubled. */
const endOfRows = Buffer.from("\n\\.\n");
/** Far longer than any line of a backup. */
const maxLineLength = 16 * 1024 * 1024;

/**
 * Parses the text of a backup as a stream.
 * @param beginsRows whether rows follow a line
 * @throws StartupError when the text ends in the middle of rows or of a line
 */
export async function* readParts(
  source: AsyncIterable<Buffer>,
  beginsRows: (line: string) => boolean,
): AsyncGenerator<Part> {
  let rest: Buffer = Buffer.alloc(0);
  let inRows = false;
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
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
        inRows = beginsRows(line);
        rest = rest.subarray(inRows ? found : found + 1);
        yield { line };
      }
    }
    if (!inRows && rest.length > maxLineLength)
      throw new StartupError("this is not a Carillon backup");
  }
  if (inRows || rest.length > 0)
    throw new StartupError("the backup is truncated: it ends in the middle");
}
