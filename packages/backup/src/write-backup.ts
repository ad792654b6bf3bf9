import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip, type Gzip, type ZlibParams } from "node:zlib";
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
    // Fastest level: the disk or network is slower than the CPU.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    await pipeline(
      Readable.from(texts({ client, postgres: version, counted, set, objects, gzip }), {
        objectMode: false,
      }),
      gzip,
      target,
    );
    return { ...counted, files: objects?.written };
  });
}

interface Texts {
  readonly client: pg.Client;
  readonly postgres: string;
  readonly counted: { tables: number; rows: number };
  readonly set: MigrationSet;
  readonly objects: BackedUpObjects | undefined;
  readonly gzip: Gzip & Partial<ZlibParams>;
}

async function* texts(parts: Texts): AsyncGenerator<string | Buffer> {
  const { client, postgres, counted, set, objects, gzip } = parts;
  const migrations = (await readMigrations(set)).map(({ name, checksum }) => ({ name, checksum }));
  const of = set.database === "bouncer" ? ({ of: "bouncer" } as const) : {};
  const madeAt = new Date().toISOString();
  yield headerLine({ format: objects ? 2 : 1, ...of, madeAt, postgres, migrations });
  yield* rows(client, counted);
  if (objects) await openObjectList(client);
  // The objects may take hours, and an open transaction would keep the server from vacuuming.
  await ask(client, "COMMIT");
  if (!objects) {
    yield trailerLine(counted);
    return;
  }
  yield endOfRowsLine(counted);
  // Most files are compressed already.
  await new Promise<void>((resolve, reject) => {
    const { Z_NO_COMPRESSION, Z_DEFAULT_STRATEGY } = constants;
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    gzip.params?.(Z_NO_COMPRESSION, Z_DEFAULT_STRATEGY, done);
  });
  yield* objects.texts();
  yield trailerLine({ ...counted, objects: objects.written.objects });
}

async function* rows(
  client: pg.Client,
  counted: Texts["counted"],
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
