import { StartupError } from "@carillon/kit";
import { z } from "zod";

/**
 * A backup is SQL text, gzipped: a first line that says what it is, the rows of each table as PostgreSQL's COPY writes
 * them, the sequences, and a last line that says how much there was. Without the last line it is not whole.
 */
const header = z.strictObject({
  format: z.literal(1),
  /** Whose database it is of, where it is not the chat server's. */
  of: z.literal("bouncer").optional(),
  madeAt: z.iso.datetime(),
  /** `server_version` of the PostgreSQL it comes from. */
  postgres: z.string(),
  /** What the database had been brought to: its tables are those that these make. */
  migrations: z.array(z.strictObject({ name: z.string(), checksum: z.string() })).min(1),
});
export type Header = z.infer<typeof header>;

const trailer = z.strictObject({ tables: z.int(), rows: z.int() });
export type Trailer = z.infer<typeof trailer>;

const headerMark = "-- Carillon backup ";
const trailerMark = "-- complete ";

export const headerLine = (value: Header) => `${headerMark}${JSON.stringify(value)}\n`;
export const trailerLine = (value: Trailer) => `${trailerMark}${JSON.stringify(value)}\n`;

/** @throws StartupError where the first line is not that of a backup which this build reads */
export function readHeader(line: string): Header {
  const parsed = header.safeParse(after(headerMark, line));
  if (parsed.success) return parsed.data;
  throw new StartupError(
    line.startsWith(headerMark)
      ? "the backup was made by a newer build: restore it with that one"
      : "this is no backup of Carillon",
  );
}

/** The last line; undefined where the line is another one. */
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

/** Whether the line begins the rows of a table. */
export const isCopy = (line: string) => copyPattern.test(line);

/** The table and the columns of such a line; undefined where it is another one. */
export function readCopy(line: string): { table: string; columns: string[] } | undefined {
  const [, table, columns] = copyPattern.exec(line) ?? [];
  if (table === undefined || columns === undefined) return undefined;
  return { table, columns: columns.slice(1, -1).split('", "') };
}

/** What a line sets a sequence to; undefined where it is another one. */
export function readSequence(
  line: string,
): { sequence: string; value: string; called: boolean } | undefined {
  const [, sequence, value, called] = sequencePattern.exec(line) ?? [];
  if (sequence === undefined || value === undefined) return undefined;
  return { sequence, value, called: called === "true" };
}

/** What is thrown at a line that we do not write. */
export const foreignLine = () => new StartupError("the backup has a line that none of ours has");
