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

/** Bytes of a copy in the record of a message; other copies count as much. */
const bytesOfCopy = 10;

/** A table whose records are stored slice by slice. */
interface Slicing {
  readonly table: string;
  readonly step: string;
  /** The line up to which records are passed over. */
  readonly after: number;
  /** Returns how many rows a record implies that are not in it. */
  readonly impliedCopies?: (record: NumberedRecord["record"]) => number;
}

/**
 * Processes the records of a table slice by slice, each in a transaction that also records the place. A slice has at most
 * a megabyte of lines and 100,000 copies, unless one record has more.
 * @throws TransferError for the record that cannot be stored
 */
export async function inSlicesOf(
  of: Import,
  { table, step, after, impliedCopies }: Slicing,
  store: (records: readonly NumberedRecord[]) => Promise<void>,
): Promise<void> {
  let slice: NumberedRecord[] = [];
  let size = 0;
  const flush = async () => {
    const last = slice.at(-1);
    if (!last) return;
    const records = slice;
    slice = [];
    size = 0;
    of.ids.forgetIfMany();
    await storeSlice(of, table, records, async () => {
      await store(records);
      await recordPlace(of, { step, line: last.line });
    });
    of.progress(step, last.line);
  };
  for await (const numbered of of.reader.records(table)) {
    if (numbered.line <= after) continue;
    const { record, bytes } = numbered;
    const cost = bytes + bytesOfCopy * (impliedCopies?.(record) ?? 0);
    if (slice.length >= maxRecords || size + cost > maxBytes) await flush();
    slice.push(numbered);
    size += cost;
  }
  await flush();
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
  // Data exceptions, violations of constraints, and exceeded limits such as that of an index row: values that PostgreSQL
  // does not take.
  return typeof code === "string" && /^(?:22|23|54)/.test(code) ? message : undefined;
}
