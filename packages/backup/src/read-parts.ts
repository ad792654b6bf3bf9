import { StartupError } from "@carillon/kit";

/** A line of a backup, a piece of the rows that follow a line which begins them, or their end. */
export type Part = { line: string } | { rows: Buffer } | { end: true };

const newLine = 0x0a;
/** The line after the rows of a table. No row is written so: a backslash in a value is doubled. */
const endOfRows = Buffer.from("\n\\.\n");
/** Far beyond any line that we write. */
const longestLine = 16 * 1024 * 1024;

/**
 * Takes the text of a backup apart, in pieces as they come.
 * @param beginsRows whether rows follow a line
 * @throws StartupError where the text ends in the middle of rows or of a line
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
        // The line break before the rows is in hand, so that rows may be none.
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
    if (!inRows && rest.length > longestLine)
      throw new StartupError("this is no backup of Carillon");
  }
  if (inRows || rest.length > 0)
    throw new StartupError("the backup is cut off: it ends in the middle");
}
