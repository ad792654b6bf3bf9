import type { Secrets, Site } from "@carillon/model";
import type { Database } from "@carillon/db";
import type { FileStore } from "@carillon/files";
import { type NumberedRecord, TransferError, type TransferReader } from "@carillon/transfer";
import type pg from "pg";

import { ask, inTransaction } from "./connect.ts";
import { type FoundIds, RecordProblem } from "./new-ids.ts";

/** An import in progress. */
export interface Import {
  /** Has the lock of the import, and runs its transactions. */
  readonly client: pg.Client;
  /** For the rules of the domain, in transactions of their own. */
  readonly db: Database;
  readonly site: Site;
  readonly secrets: Secrets;
  readonly files: FileStore;
  readonly reader: TransferReader;
  readonly id: number;
  readonly realmId: number;
  readonly ids: FoundIds;
  readonly progress: (what: string, done: number) => void;
  /** Reports what the import has changed in a record. */
  readonly report: (change: string) => void;
}

/** Where an import goes on: the steps before it are done. */
export interface Place {
  readonly step: string;
  readonly line: number;
}

export async function placeOf(client: pg.Client, importId: number): Promise<Place> {
  const [row] = await ask<Place>(
    client,
    "SELECT step, line FROM organization_imports WHERE id = $1",
    [importId],
  );
  return row ?? { step: "", line: 0 };
}

/** Records, in a transaction, that a step is done up to a line. */
export async function recordPlace(
  { client, id }: Pick<Import, "client" | "id">,
  { step, line }: Place,
): Promise<void> {
  await ask(client, "UPDATE organization_imports SET step = $2, line = $3 WHERE id = $1", [
    id,
    step,
    line,
  ]);
}

/** Bounds of a slice, which is one transaction. */
const maxRecords = 500;
const maxBytes = 1024 * 1024;

/**
 * Processes the records of a table slice by slice, each in a transaction that also records the place. Lines up to
 * `after` are passed over.
 * @throws TransferError for the record that cannot be stored
 */
export async function inSlicesOf(
  of: Import,
  { table, step, after }: { table: string; step: string; after: number },
  store: (records: readonly NumberedRecord[]) => Promise<void>,
): Promise<void> {
  let slice: NumberedRecord[] = [];
  let bytes = 0;
  const flush = async () => {
    const last = slice.at(-1);
    if (!last) return;
    const records = slice;
    slice = [];
    bytes = 0;
    of.ids.forgetIfMany();
    await storeSlice(of, table, records, async () => {
      await store(records);
      await recordPlace(of, { step, line: last.line });
    });
    of.progress(step, last.line);
  };
  for await (const numbered of of.reader.records(table)) {
    if (numbered.line <= after) continue;
    slice.push(numbered);
    bytes += sizeOf(numbered.record);
    if (slice.length >= maxRecords || bytes > maxBytes) await flush();
  }
  await flush();
}

/** Returns about how many characters a record has, without writing it out. */
function sizeOf(record: Readonly<Record<string, unknown>>): number {
  const { content, copies } = record;
  return (
    (typeof content === "string" ? content.length : 0) +
    (Array.isArray(copies) ? copies.length * 8 : 0) +
    200
  );
}

async function storeSlice(
  { client }: Import,
  table: string,
  records: readonly NumberedRecord[],
  store: () => Promise<void>,
): Promise<void> {
  try {
    await inTransaction(client, store);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    const named = error instanceof LineProblem ? error.line : undefined;
    const first = records[0]?.line;
    const last = records.at(-1)?.line;
    const lines = first === last ? "" : ` (one of the lines ${first} to ${last})`;
    throw new TransferError(
      `${table}.ndjson`,
      named ?? first,
      `${problem}${named === undefined ? lines : ""}`,
    );
  }
}

/** A fault of the record at a line. */
export class LineProblem extends RecordProblem {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.line = line;
  }
}

/** Runs `work` for a record, and adds its line to the record's faults. */
export function atLine<Result>(line: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecordProblem && !(error instanceof LineProblem))
      throw new LineProblem(line, error.message);
    throw error;
  }
}

/** Returns what is wrong with records; undefined for an error of something else. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof RecordProblem) return error.message;
  const { code, message } = error as { code?: unknown; message?: string };
  // Data exceptions and violations of constraints: values that PostgreSQL does not take.
  return typeof code === "string" && /^(?:22|23)/.test(code) ? message : undefined;
}
