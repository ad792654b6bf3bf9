import { StartupError } from "@carillon/kit";
import { z } from "zod";

/**
 * A backup is gzipped SQL text: a header line, the rows of each table in COPY's text format, the sequences, and a
 * trailer line with the number of tables and rows. A backup without its trailer is incomplete.
 */
const header = z.strictObject({
  format: z.literal(1),
  /** The database of the backup, if it is not the chat server's. */
  of: z.literal("bouncer").optional(),
  madeAt: z.iso.datetime(),
  /** `server_version` of the PostgreSQL server it was made from. */
  postgres: z.string(),
  /** The migrations that had been applied; they define the tables. */
  migrations: z.array(z.strictObject({ name: z.string(), checksum: z.string() })).min(1),
});
export type Header = z.infer<typeof header>;

const trailer = z.strictObject({ tables: z.int(), rows: z.int() });
export type Trailer = z.infer<typeof trailer>;

const headerMark = "-- Carillon backup ";
const trailerMark = "-- complete ";

export const headerLine = (value: Header) => `${headerMark}${JSON.stringify(value)}\n`;
export const trailerLine = (value: Trailer) => `${trailerMark}${JSON.stringify(value)}\n`;

/**
 * Parses the header.
 * @throws StartupError when the line is not the header of a backup that this build can read
 */
export function readHeader(line: string): Header {
  const parsed = header.safeParse(after(headerMark, line));
  if (parsed.success) return parsed.data;
  throw new StartupError(
    line.startsWith(headerMark)
      ? "the backup was made by a newer build: restore it with that build"
      : "this is not a Carillon backup",
  );
}

/** Parses the trailer; undefined for any other line. */
export function readTrailer(line: string): Trailer | undefined {
  const parsed = trailer.safeParse(after(trailerMark, line));
  return parsed.success ? parsed.data : undefined;
}

function after(mark: string, line: string): unknown {
  if (!line.startsWith(mark)) return undefined;
  try {
    return JSON.parse(line.slice(mark.length));
  } catch {
    return undefined;
  }
}

const name = '"([a-z_0-9]+)"';
const copyPattern = new RegExp(`^COPY ${name} \\((${name}(?:, ${name})*)\\) FROM stdin;$`);
const sequencePattern = /^SELECT setval\('"([a-z_0-9]+)"', (\d{1,19}), (true|false)\);$/;

/** Returns whether the line begins the rows of a table. */
export const isCopy = (line: string) => copyPattern.test(line);

/** Parses a line that begins the rows of a table; undefined for any other line. */
export function readCopy(line: string): { table: string; columns: string[] } | undefined {
  const [, table, columns] = copyPattern.exec(line) ?? [];
  if (table === undefined || columns === undefined) return undefined;
  return { table, columns: columns.slice(1, -1).split('", "') };
}

/** Parses a line that sets a sequence; undefined for any other line. */
export function readSequence(
  line: string,
): { sequence: string; value: string; called: boolean } | undefined {
  const [, sequence, value, called] = sequencePattern.exec(line) ?? [];
  if (sequence === undefined || value === undefined) return undefined;
  return { sequence, value, called: called === "true" };
}

/** Creates the error for a line that Carillon does not write. */
export const unknownLineError = () =>
  new StartupError("the backup has a line that Carillon does not write");
