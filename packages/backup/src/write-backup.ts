import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import {
  chatMigrations,
  checkMigrations,
  checkServer,
  type MigrationSet,
  readMigrations,
} from "@carillon/db";
import type { FileStore } from "@carillon/files";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";

import { ask, onConnection } from "./connect.ts";
import { endOfRowsLine, headerLine, trailerLine, type RowCount } from "./format.ts";
import { BackedUpObjects, openObjectList, type WrittenObjects } from "./write-objects.ts";
import { listSequences, listTables, type Table } from "./tables.ts";

/** How much a backup contains. */
export interface Backup extends RowCount {
  /** Undefined if uploaded files were left out. */
  readonly files: WrittenObjects | undefined;
}

export interface BackupOptions {
  /** The migrations of the database: chat server or bouncer. Default: chat server. */
  readonly set?: MigrationSet;
  /** Opens the store of uploaded files, when there is an object to copy. Default: uploaded files are left out. */
  readonly files?: (() => Promise<FileStore>) | undefined;
}

/**
 * Writes a consistent snapshot of the whole database while Carillon runs, as a stream; then the objects of the file store
 * that the snapshot names. Sealed secrets stay sealed: they are useless without the `SECRET_KEY`.
 * @param target is ended when everything is written
 * @throws StartupError naming DATABASE_URL: not reachable, too old, or not at this build's migrations; StorageUnavailable
 */
export function writeBackup(
  databaseUrl: string,
  target: Writable,
  { set = chatMigrations, files }: BackupOptions = {},
): Promise<Backup> {
  return onConnection(databaseUrl, async (client) => {
    const { version } = await checkServer(client);
    await checkMigrations(client, set);
    await ask(client, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const counted = { tables: 0, rows: 0 };
    const objects = files && new BackedUpObjects(client, files);
    const parts = { client, postgres: version, counted, set, objects };
    // Fastest level: the disk or network is slower than the CPU.
    await compressInto(target, textsOfRows(parts), constants.Z_BEST_SPEED, !objects);
    // Most files are compressed already. A second member of the gzip file, because Node changes the level of no running one.
    if (objects)
      await compressInto(
        target,
        textsOfObjects(objects, counted),
        constants.Z_NO_COMPRESSION,
        true,
      );
    return { ...counted, files: objects?.written };
  });
}

/** Writes texts as a member of a gzip file. @param isLast whether the target ends afterwards */
async function compressInto(
  target: Writable,
  texts: AsyncIterable<string | Buffer>,
  level: number,
  isLast: boolean,
): Promise<void> {
  const source = Readable.from(texts, { objectMode: false });
  await pipeline(source, createGzip({ level }), target, { end: isLast });
}

interface Parts {
  readonly client: pg.Client;
  readonly postgres: string;
  readonly counted: { tables: number; rows: number };
  readonly set: MigrationSet;
  readonly objects: BackedUpObjects | undefined;
}

async function* textsOfRows(parts: Parts): AsyncGenerator<string | Buffer> {
  const { client, postgres, counted, set, objects } = parts;
  const migrations = (await readMigrations(set)).map(({ name, checksum }) => ({ name, checksum }));
  const of = set.database === "bouncer" ? ({ of: "bouncer" } as const) : {};
  const madeAt = new Date().toISOString();
  yield headerLine({ format: objects ? 2 : 1, ...of, madeAt, postgres, migrations });
  yield* rows(client, counted);
  if (objects) await openObjectList(client);
  // The objects may take hours, and an open transaction would keep the server from vacuuming.
  await ask(client, "COMMIT");
  yield objects ? endOfRowsLine(counted) : trailerLine(counted);
}

async function* textsOfObjects(
  objects: BackedUpObjects,
  counted: Parts["counted"],
): AsyncGenerator<string | Buffer> {
  yield* objects.texts();
  yield trailerLine({ ...counted, objects: objects.written.objects });
}

async function* rows(
  client: pg.Client,
  counted: Parts["counted"],
): AsyncGenerator<string | Buffer> {
  for (const table of await listTables(client)) {
    yield `COPY ${copied(table)} FROM stdin;\n`;
    const copy = client.query(copyTo(`COPY ${copied(table)} TO STDOUT`));
    yield* copy;
    counted.tables++;
    counted.rows += copy.rowCount;
    yield "\\.\n";
  }
  for (const name of await listSequences(client)) {
    // Sequences are not transactional: one may be ahead of the rows, never behind.
    const [row] = await ask<{ last_value: string; is_called: boolean }>(
      client,
      `SELECT last_value, is_called FROM "${name}"`,
    );
    const { last_value: value = "1", is_called: called = false } = row ?? {};
    yield `SELECT setval('"${name}"', ${value}, ${called});\n`;
  }
}

function copied({ name, columns }: Table): string {
  return `"${name}" (${columns.map((column) => `"${column}"`).join(", ")})`;
}
