import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import {
  chatMigrations,
  checkMigrations,
  checkServer,
  type MigrationSet,
  readMigrations,
} from "@carillon/db";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";

import { ask, onConnection } from "./connect.ts";
import { headerLine, trailerLine, type Trailer } from "./format.ts";
import { listSequences, listTables, type Table } from "./tables.ts";

/** How much a backup contains. */
export type Backup = Trailer;

/**
 * Writes a consistent snapshot of the whole database while Carillon runs, as a stream. Sealed secrets stay sealed:
 * they are useless without the `SECRET_KEY`.
 * @param target is ended when everything is written
 * @param set the migrations of the database: chat server or bouncer
 * @throws StartupError naming DATABASE_URL: not reachable, too old, or not at this build's migrations
 */
export function writeBackup(
  databaseUrl: string,
  target: Writable,
  set: MigrationSet = chatMigrations,
): Promise<Backup> {
  return onConnection(databaseUrl, async (client) => {
    const { version } = await checkServer(client);
    await checkMigrations(client, set);
    await ask(client, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const counted = { tables: 0, rows: 0 };
    // Fastest level: the disk or network is slower than the CPU.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    await pipeline(
      Readable.from(texts(client, version, counted, set), { objectMode: false }),
      gzip,
      target,
    );
    await ask(client, "COMMIT");
    return counted;
  });
}

async function* texts(
  client: pg.Client,
  postgres: string,
  counted: Trailer,
  set: MigrationSet,
): AsyncGenerator<string | Buffer> {
  const migrations = (await readMigrations(set)).map(({ name, checksum }) => ({ name, checksum }));
  const of = set.database === "bouncer" ? ({ of: "bouncer" } as const) : {};
  yield headerLine({ format: 1, ...of, madeAt: new Date().toISOString(), postgres, migrations });
  for (const table of await listTables(client)) {
    yield `COPY ${copied(table)} FROM stdin;\n`;
    const rows = client.query(copyTo(`COPY ${copied(table)} TO STDOUT`));
    yield* rows;
    counted.tables++;
    counted.rows += rows.rowCount;
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
  yield trailerLine(counted);
}

function copied({ name, columns }: Table): string {
  return `"${name}" (${columns.map((column) => `"${column}"`).join(", ")})`;
}
