import { StartupError } from "@carillon/kit";
import * as z from "zod";

/**
 * A backup is gzipped SQL text: a header line, the rows of each table in COPY's text format, the sequences, and a
 * trailer line with the number of tables and rows. A backup without its trailer is incomplete.
 *
 * Format 2 has uploaded files too. After the sequences comes a line with the number of tables and rows, then a line for
 * each object of the file store, followed by the object's bytes and a line break. The trailer then has the number of
 * objects too. The objects are a second member of the gzip file, without compression.
 */
const header = z.strictObject({
  format: z.union([z.literal(1), z.literal(2)]),
  /** The database of the backup, if it is not the chat server's. */
  of: z.literal("bouncer").optional(),
  madeAt: z.iso.datetime(),
  /** `server_version` of the PostgreSQL server it was made from. */
  postgres: z.string(),
  /** The migrations that had been applied; they define the tables. */
  migrations: z.array(z.strictObject({ name: z.string(), checksum: z.string() })).min(1),
});
export type Header = z.infer<typeof header>;

const rowCount = z.strictObject({ tables: z.int(), rows: z.int() });
export type RowCount = z.infer<typeof rowCount>;

const trailer = rowCount.extend({
  /** Objects in the backup, in format 2. */
  objects: z.int().optional(),
});
export type Trailer = z.infer<typeof trailer>;

const object = z.strictObject({
  /** In the format of `newObjectKey`. */
  key: z.string().regex(/^[a-z2-7]{26}$/),
  /** Bytes that follow; null if the store did not have the object when the backup was made. */
  size: z.int().min(0).nullable(),
  /** Expected hash in hexadecimal; null with `size`. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Path of the uploaded file that the object belongs to, for messages. */
  path: z.string().optional(),
});
/** An object of the file store, as its line describes it. */
export type ObjectLine = z.infer<typeof object>;

const headerMark = "-- Carillon backup ";
const endOfRowsMark = "-- end of rows ";
const objectMark = "-- object ";
const trailerMark = "-- complete ";

export const headerLine = (value: Header) => `${headerMark}${JSON.stringify(value)}\n`;
export const endOfRowsLine = (value: RowCount) => `${endOfRowsMark}${JSON.stringify(value)}\n`;
export const objectLine = (value: ObjectLine) => `${objectMark}${JSON.stringify(value)}\n`;
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

/** Parses the line between rows and objects; undefined for any other line. */
export function readEndOfRows(line: string): RowCount | undefined {
  return rowCount.safeParse(after(endOfRowsMark, line)).data;
}

/** Parses the line of an object; undefined for any other line. */
export function readObjectLine(line: string): ObjectLine | undefined {
  return object.safeParse(after(objectMark, line)).data;
}

/** Parses the trailer; undefined for any other line. */
export function readTrailer(line: string): Trailer | undefined {
  return trailer.safeParse(after(trailerMark, line)).data;
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

/** Returns what follows a line: rows of a table, a number of bytes, or the next line. */
export function whatFollows(line: string): "rows" | "line" | number {
  if (isCopy(line)) return "rows";
  return readObjectLine(line)?.size ?? "line";
}

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
